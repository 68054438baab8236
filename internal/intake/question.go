package intake

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/commands"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// longestWord is how long a loose word may be that answers a question, in characters: an
// option may be so long.
const longestWord = 100

// answerQuestion takes a message as the answer to what a sub-agent asks, where it is one:
// a button under the question, a reply to it, or a word that fits while the question is
// the last thing that was shown in the chat. Its Answer is empty where it is none.
func (i *Intake) answerQuestion(ctx context.Context, in message, row store.InboxMessage) (commands.Result, error) {
	if in.Forwarded || len(in.Attachments) > 0 || in.Revision > 0 {
		return commands.Result{}, nil
	}
	t := i.service.Texts.For(in.by.Language, i.service.Language)
	id, which, err := i.questionMeant(ctx, in, row, t)
	if err != nil || which != "" || id == "" {
		return commands.Result{Answer: which}, err
	}
	if answer, seen, _, err := i.service.CommandAnswer(ctx, row); err != nil || seen {
		return commands.Result{Answer: answer, Repeated: seen}, err
	}
	text := row.Text
	q, err := i.service.Store.Question(ctx, id)
	if err == nil {
		if q.Kind != errand.AsksApproval {
			text = worded(q, text)
		}
		q, err = i.service.AnswerShown(ctx, in.by, id, service.Answer{Text: text, Route: in.Route})
	}
	var no *service.Error
	switch {
	case errors.As(err, &no):
		return commands.Result{Answer: service.ErrorText(err, t)}, nil
	case err != nil:
		return commands.Result{}, err
	}
	row.Text = commands.Answered(t, q)
	return commands.Result{Answer: row.Text}, i.service.NoteCommand(ctx, row)
}

// questionMeant returns the question that a message answers, if it answers one; or what
// its sender is asked, where it may be one of several.
func (i *Intake) questionMeant(ctx context.Context, in message, row store.InboxMessage, t texts.Texts) (id errand.QuestionID, which string, err error) {
	if in.ReplyTo != "" && in.Route.Channel != errand.ChannelWeb {
		n, found, err := i.shownAs(ctx, in)
		if err != nil || !found || n.Question == "" {
			return "", "", err // it is about something else
		}
		q, err := i.service.Store.Question(ctx, n.Question)
		if err != nil || q.InReply() && (!in.Pressed || q.State == errand.QuestionOpen) {
			return "", "", err // a message to the agent that asks
		}
		return n.Question, "", nil
	}
	if utf8.RuneCountInString(row.Text) > longestWord || strings.Contains(row.Text, "\n") {
		return "", "", nil
	}
	open, last, err := i.service.Store.AskedIn(ctx, row.Session(), in.Route, in.by.Person)
	if err != nil || !slices.ContainsFunc(open, func(q errand.Question) bool { return q.ID == last }) {
		return "", "", err
	}
	if q := open[slices.IndexFunc(open, func(q errand.Question) bool { return q.ID == last })]; q.Kind == errand.AsksApproval {
		if yes, _ := texts.Consent(row.Text); yes {
			return "", t.Localize("approval.loose", "question", string(q.ID)), nil
		}
		return "", "", nil
	}
	open = slices.DeleteFunc(open, func(q errand.Question) bool { return q.Kind == errand.AsksApproval })
	fits := slices.DeleteFunc(slices.Clone(open), func(q errand.Question) bool { return !isLooseAnswer(q, row.Text) })
	switch {
	case len(fits) == 0:
		return "", "", nil
	case len(open) == 1:
		return fits[0].ID, "", nil
	}
	// One word is no answer to several questions, nor to one that errand picks.
	lines := make([]string, len(open))
	for n, q := range open {
		lines[n] = t.Localize("questions.line", "question", string(q.ID), "agent", q.Agent.Display(), "text", errand.Cut(strings.Join(strings.Fields(q.Text), " "), 200))
	}
	return "", t.Localize("question.which", "questions", strings.Join(lines, "\n")), nil
}

// receiptWithin is how long after a message was sent its receipt is there, if nothing has
// gone wrong.
const receiptWithin = 2 * time.Second

// shownAs is the delivery that a message replies to. Somebody may press a button before it
// is noted as which message it was sent.
func (i *Intake) shownAs(ctx context.Context, in message) (n errand.Notification, found bool, err error) {
	over := time.NewTimer(receiptWithin)
	defer over.Stop()
	look := time.NewTicker(receiptWithin / 40)
	defer look.Stop()
	for {
		n, found, err = i.service.Store.SentAs(ctx, in.Route.At(), in.ReplyTo, in.Route.Chat)
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

// isLooseAnswer reports whether a text that stands by itself is an answer to a question,
// and hardly anything else.
func isLooseAnswer(q errand.Question, text string) bool {
	yes, no := texts.Consent(text)
	if len(q.Options) == 0 && len(q.Schema) == 0 {
		return yes || no
	}
	if _, err := q.Fits(worded(q, text)); err != nil {
		return false
	}
	if len(q.Schema) == 0 {
		return true
	}
	schema, err := errand.ParseAnswerSchema(q.Schema)
	return err == nil && (schema.Type != "object" && schema.Type != "string" || len(schema.Enum) > 0)
}

// worded is a text that agrees or declines in the words that a question takes for that:
// its one option that does, or yes and no.
func worded(q errand.Question, text string) string {
	yes, no := texts.Consent(text)
	if _, err := q.Fits(text); err == nil || !yes && !no {
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
