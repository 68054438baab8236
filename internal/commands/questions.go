package commands

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// questions lists the person's open questions, or only this chat's if other people read the answer.
func (r *Runner) questions(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) > 0 {
		return r.question(ctx, c, words[0])
	}
	var in api.ListQuestionsInput
	if c.open {
		in.Here = c.key
	}
	list, err := ops.Do(ctx, r.deps.Runner, api.ListQuestions, c.by, in)
	if err != nil {
		return "", err
	}
	if len(list.Items) == 0 {
		return c.Localize("questions.none"), nil
	}
	var b strings.Builder
	for _, q := range list.Items {
		b.WriteString(c.questionLine(q.Question) + "\n")
	}
	return b.String(), nil
}

func (c chat) questionLine(q core.Question) string {
	if q.Approval != nil {
		return c.Localize("approval.line", "question", string(q.ID), "agent", q.Agent.Display(), "tool", q.Approval.Tool, "arguments", oneLine(q.Approval.Arguments, 300))
	}
	line := c.Localize("questions.line", "question", string(q.ID), "agent", q.Agent.Display(), "text", oneLine(q.Text, 300))
	for i, o := range q.Options {
		line += "\n    " + strconv.Itoa(i+1) + ". " + o
	}
	return line
}

// answer takes TEXT as typed, with its line breaks.
func (r *Runner) answer(ctx context.Context, c chat, _ []string) (string, error) {
	id, text := nextWord(c.text)
	return r.answered(ctx, c, id, api.QuestionAnswer{Text: text})
}

func (r *Runner) decline(ctx context.Context, c chat, _ []string) (string, error) {
	id, reason := nextWord(c.text)
	return r.answered(ctx, c, id, api.QuestionAnswer{Text: reason, Decline: true})
}

func (r *Runner) answered(ctx context.Context, c chat, id string, answer api.QuestionAnswer) (string, error) {
	q, err := ops.Do(ctx, r.deps.Runner, api.AnswerQuestion, c.by,
		api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: core.Cut(id, 40)}, Body: answer, Route: c.route})
	if err != nil {
		return "", err
	}
	return Answered(c.Texts, q.Question), nil
}

func (r *Runner) question(ctx context.Context, c chat, id string) (string, error) {
	shown, err := ops.Do(ctx, r.deps.Runner, api.GetQuestion, c.by, api.QuestionID{ID: core.Cut(id, 40)})
	if err != nil {
		return "", err
	}
	q := shown.Question
	if c.open && q.Key != c.key { // other people read the chat
		return "", service.Known(fmt.Errorf("question %s: %w", q.ID, store.ErrNotFound))
	}
	if q.Approval != nil {
		return c.WholeApproval(q, shown.MayAnswer), nil
	}
	return c.questionLine(q), nil
}

// Answered tells the person how the question continues.
func Answered(t texts.Texts, q core.Question) string {
	key := "question.passed_on"
	tool := ""
	switch {
	case q.Approval == nil && q.State == core.QuestionDeclined:
		key = "question.declined"
	case q.Approval == nil:
	case q.State == core.QuestionDeclined:
		key, tool = "approval.declined", q.Approval.Tool
	case q.Answer == core.ApprovedSession:
		key, tool = "approval.approved_session", q.Approval.Tool
	default:
		key, tool = "approval.approved", q.Approval.Tool
	}
	return t.Localize(key, "agent", q.Agent.Display(), "question", string(q.ID), "answer", core.Cut(q.Answer, 200), "tool", tool)
}
