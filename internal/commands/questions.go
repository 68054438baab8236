package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// questions lists what waits for the person's answer, wherever it was asked; where others
// read the answer, what is asked here.
func (r *Runner) questions(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) > 0 {
		return r.question(ctx, c, words[0])
	}
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

func (c chat) questionLine(q errand.Question) string {
	if q.Approval != nil {
		return c.Localize("approval.line", "question", string(q.ID), "agent", q.Agent.Display(), "tool", q.Approval.Tool, "arguments", oneLine(q.Approval.Arguments, 300))
	}
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

func (r *Runner) decline(ctx context.Context, c chat, _ []string) (string, error) {
	id, reason := nextWord(c.text)
	q, err := r.service.AnswerQuestion(ctx, c.by, errand.Cut(id, 40), service.Answer{Text: reason, Decline: true, Route: c.route})
	if err != nil {
		return "", err
	}
	return c.answered(q), nil
}

func (r *Runner) question(ctx context.Context, c chat, id string) (string, error) {
	q, err := r.service.Question(ctx, c.by, errand.Cut(id, 40))
	if err != nil {
		return "", err
	}
	if c.open && q.Key != c.key { // others read along here
		return "", service.Known(fmt.Errorf("question %s: %w", q.ID, store.ErrNotFound))
	}
	if q.Approval != nil {
		return c.WholeApproval(q, r.service.MayDecide(c.by) == nil), nil
	}
	return c.questionLine(q), nil
}

func (c chat) answered(q errand.Question) string { return Answered(c.Texts, q) }

// Answered tells whoever has answered a question what becomes of it.
func Answered(t texts.Texts, q errand.Question) string {
	key := "question.passed_on"
	tool := ""
	switch {
	case q.Approval == nil && q.State == errand.QuestionDeclined:
		key = "question.declined"
	case q.Approval == nil:
	case q.State == errand.QuestionDeclined:
		key, tool = "approval.declined", q.Approval.Tool
	case q.Answer == errand.ApprovedSession:
		key, tool = "approval.approved_session", q.Approval.Tool
	default:
		key, tool = "approval.approved", q.Approval.Tool
	}
	return t.Localize(key, "agent", q.Agent.Display(), "question", string(q.ID), "answer", errand.Cut(q.Answer, 200), "tool", tool)
}
