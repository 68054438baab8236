package commands

import (
	"context"
	"strconv"
	"strings"

	"errand"
	"errand/internal/service"
)

// questions lists what waits for the person's answer, wherever it was asked; where others
// read the answer, what is asked here.
func (r *Runner) questions(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := r.questionsOf(ctx, c)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return c.Localize("questions.none"), nil
	}
	var b strings.Builder
	for _, q := range list {
		b.WriteString(c.questionLine(q) + "\n")
	}
	return b.String(), nil
}

func (r *Runner) questionsOf(ctx context.Context, c chat) ([]errand.Question, error) {
	if c.open {
		return r.service.QuestionsIn(ctx, c.by, c.key, false, 0)
	}
	return r.service.Questions(ctx, c.by, "", false, 0)
}

// questionLine is a question with what it is about and its options, under their numbers.
func (c chat) questionLine(q errand.Question) string {
	line := c.Localize("questions.line", "question", string(q.ID), "agent", q.Agent.Display(), "text", oneLine(q.Text, 300))
	for i, o := range q.Options {
		line += "\n    " + strconv.Itoa(i+1) + ". " + o
	}
	return line
}

// answer is /answer ID TEXT: the text is taken as it was written, lines and all.
func (r *Runner) answer(ctx context.Context, c chat, _ []string) (string, error) {
	id, text := nextWord(c.text)
	q, err := r.service.AnswerQuestion(ctx, c.by, errand.Cut(id, 40), service.Answer{Text: text, Route: c.route})
	if err != nil {
		return "", err
	}
	return c.answered(q), nil
}

func (r *Runner) decline(ctx context.Context, c chat, words []string) (string, error) {
	q, err := r.service.AnswerQuestion(ctx, c.by, errand.Cut(words[0], 40), service.Answer{Decline: true, Route: c.route})
	if err != nil {
		return "", err
	}
	return c.answered(q), nil
}

// answered tells whoever answered what becomes of it.
func (c chat) answered(q errand.Question) string {
	key := "question.passed_on"
	if q.State == errand.QuestionDeclined {
		key = "question.declined"
	}
	return c.Localize(key, "agent", q.Agent.Display(), "question", string(q.ID), "answer", errand.Cut(q.Answer, 200))
}
