package intake

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"errand/api"
	"errand/internal/answer"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// longestWord is the maximum length in characters of an answer without a reply or a button. It
// equals that of an option.
const longestWord = 100

// answerQuestion handles an answer to a sub-agent's question: a button, a reply, or a fitting word
// right after the question. For other messages, Answer is empty.
func (i *Intake) answerQuestion(ctx context.Context, in message, row store.InboxMessage) (commands.Result, error) {
	if in.Forwarded || len(in.Attachments) > 0 || in.Revision > 0 {
		return commands.Result{}, nil
	}
	t := i.deps.Texts.For(in.by.Language, i.deps.Language)
	id, which, err := i.questionMeant(ctx, in, row, t)
	if err != nil || which != "" || id == "" {
		return commands.Result{Answer: which}, err
	}
	if reply, seen, _, err := i.deps.Internal.CommandAnswer(ctx, row); err != nil || seen {
		return commands.Result{Answer: reply, Repeated: seen}, err
	}
	text := row.Text
	q, err := i.deps.Store.Question(ctx, id)
	if err == nil {
		if q.Kind != core.AsksApproval {
			text = worded(q, text)
		}
		answer := api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(id)}, Body: api.QuestionAnswer{Text: text}, Route: in.Route, Shown: true}
		var answered api.Question
		answered, err = ops.Do(ctx, i.deps.Runner, api.AnswerQuestion, in.by, answer)
		q = answered.Question
	}
	var no *service.Error
	switch {
	case errors.As(err, &no):
		return commands.Result{Answer: service.ErrorText(err, t)}, nil
	case err != nil:
		return commands.Result{}, err
	}
	row.Text = commands.Answered(t, q)
	return commands.Result{Answer: row.Text}, i.deps.Internal.NoteCommand(ctx, row)
}

// questionMeant returns the question that a message answers. If several questions fit, which asks
// the sender to choose.
func (i *Intake) questionMeant(ctx context.Context, in message, row store.InboxMessage, t texts.Texts) (id core.QuestionID, which string, err error) {
	if in.ReplyTo != "" && in.Route.Channel != core.ChannelWeb {
		n, found, err := i.shownAs(ctx, in)
		if err != nil || !found || n.Question == "" {
			return "", "", err // not about a question
		}
		q, err := i.deps.Store.Question(ctx, n.Question)
		if err != nil || q.InReply() && (!in.Pressed || q.State == core.QuestionOpen) {
			return "", "", err // a message to the agent that asks
		}
		return n.Question, "", nil
	}
	if utf8.RuneCountInString(row.Text) > longestWord || strings.Contains(row.Text, "\n") {
		return "", "", nil
	}
	open, last, err := i.deps.Store.AskedIn(ctx, row.Session(), in.Route, in.by.Person)
	if err != nil || !slices.ContainsFunc(open, func(q core.Question) bool { return q.ID == last }) {
		return "", "", err
	}
	if q := open[slices.IndexFunc(open, func(q core.Question) bool { return q.ID == last })]; q.Kind == core.AsksApproval {
		if yes, no := texts.Consent(row.Text); yes || no || texts.Chosen(q.Options, row.Text) >= 0 {
			return "", t.Localize("approval.loose", "question", string(q.ID)), nil
		}
		return "", "", nil
	}
	open = slices.DeleteFunc(open, func(q core.Question) bool { return q.Kind == core.AsksApproval })
	fits := slices.DeleteFunc(slices.Clone(open), func(q core.Question) bool { return !isLooseAnswer(q, row.Text) })
	switch {
	case len(fits) == 0:
		return "", "", nil
	case len(open) == 1:
		return fits[0].ID, "", nil
	}
	// One word cannot answer several questions, and errand does not choose one.
	lines := make([]string, len(open))
	for n, q := range open {
		lines[n] = t.Localize("questions.line", "question", string(q.ID), "agent", q.Agent.Display(), "text", core.Cut(strings.Join(strings.Fields(q.Text), " "), 200))
	}
	return "", t.Localize("question.which", "questions", strings.Join(lines, "\n")), nil
}

// receiptWithin is how long the receipt of a sent message may take.
const receiptWithin = 2 * time.Second

// shownAs waits for the receipt, because the person may press a button before it arrives.
func (i *Intake) shownAs(ctx context.Context, in message) (n core.Notification, found bool, err error) {
	over := time.NewTimer(receiptWithin)
	defer over.Stop()
	look := time.NewTicker(receiptWithin / 40)
	defer look.Stop()
	for {
		n, found, err = i.deps.Store.SentAs(ctx, in.Route.At(), in.ReplyTo, in.Route.Chat)
		if err != nil || found || !in.Pressed {
			return n, found, err
		}
		select {
		case <-look.C:
		case <-over.C:
			return n, false, nil
		case <-ctx.Done():
			return n, false, ctx.Err()
		}
	}
}

// isLooseAnswer reports whether a text without a reply is most likely an answer.
func isLooseAnswer(q core.Question, text string) bool {
	yes, no := texts.Consent(text)
	if len(q.Options) == 0 && len(q.Schema) == 0 {
		return yes || no
	}
	if _, err := answer.Fits(&q, worded(q, text)); err != nil {
		return false
	}
	if len(q.Schema) == 0 {
		return true
	}
	schema, err := answer.ParseAnswerSchema(q.Schema)
	return err == nil && (schema.Type != "object" && schema.Type != "string" || len(schema.Enum) > 0)
}

// worded replaces a yes or no by the matching option of the question.
func worded(q core.Question, text string) string {
	yes, no := texts.Consent(text)
	if _, err := answer.Fits(&q, text); err == nil || !yes && !no {
		return text
	}
	var same []string
	for _, o := range q.Options {
		if y, n := texts.Consent(o); y && yes || n && no {
			same = append(same, o)
		}
	}
	switch {
	case len(same) == 1:
		return same[0]
	case len(q.Schema) > 0 && yes:
		return "yes"
	case len(q.Schema) > 0:
		return "no"
	}
	return text
}
