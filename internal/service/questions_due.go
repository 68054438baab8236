package service

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand/internal/core"
	"errand/internal/store"
)

// maxDue limits one pass. The next pass continues.
const maxDue = 200

// RemindOfQuestions reminds people of open questions, and ends expired ones. errand calls it every
// minute.
func (i *Internal) RemindOfQuestions(ctx context.Context) error {
	now := i.Store.Now()
	due, err := i.Store.DueQuestions(ctx, now, maxDue)
	if err != nil {
		return err
	}
	var errs []error
	for _, q := range due {
		if !now.Before(q.Expires) {
			over, first, _, err := i.Store.CloseQuestion(ctx, store.CloseQuestion{ID: q.ID, State: core.QuestionExpired})
			if err == nil && first {
				i.Logger.Info("question expired", "question", q.ID, "task", q.Task)
				i.questions.signalAsker(ctx, over, 0)
				deciders, fault := i.Store.Deciders(ctx, q.ID)
				i.questions.wakeDeciders(ctx, deciders)
				err = fault
			}
			errs = append(errs, err)
			continue
		}
		queued, err := i.remindOf(ctx, q, now)
		if queued {
			i.WakeOutbox(ctx, q.Route)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func (i *Internal) remindOf(ctx context.Context, q core.Question, now time.Time) (queued bool, err error) {
	if q.Approval != nil {
		if deciders, err := i.Store.Deciders(ctx, q.ID); len(deciders) > 0 || err != nil {
			return false, i.remindDeciders(ctx, q, now, deciders, err)
		}
	}
	return i.Store.RemindOfQuestion(ctx, q, i.reminderOf(ctx, q), now, i.QuestionPace)
}

func (i *Internal) remindDeciders(ctx context.Context, q core.Question, now time.Time, deciders []store.Decider, err error) error {
	if err != nil {
		return err
	}
	asker := i.personName(ctx, q.Person)
	var reminded []store.Decider
	for _, d := range deciders {
		p, err := i.Store.Person(ctx, d.Person)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || !i.roleDecides(p.Role) {
			continue
		}
		t := i.Texts.For(p.Language, i.Language)
		d.Text, d.Options = t.Localize("approval.reminder", "agent", q.Agent.Display())+"\n\n"+t.ApprovalFor(q, asker, ""), t.ApprovalOptions(*q.Approval)
		reminded = append(reminded, d)
	}
	queued, err := i.Store.RemindOfQuestion(ctx, q, i.reminderOf(ctx, q), now, i.QuestionPace, reminded...)
	switch {
	case queued && len(reminded) > 0:
		i.questions.wakeDeciders(ctx, reminded)
	case queued:
		i.WakeOutbox(ctx, q.Route)
	}
	return err
}

func (i *Internal) reminderOf(ctx context.Context, q core.Question) string {
	t := i.Texts.For(i.questions.languageOf(ctx, q.Person), i.Language)
	if q.Approval != nil {
		return t.Localize("approval.reminder", "agent", q.Agent.Display()) + "\n\n" + t.Approval(q, "")
	}
	how := "question.how"
	if len(q.Options) > 0 {
		how = "question.how_options"
	}
	days := int(q.Expires.Sub(i.Store.Now()).Hours() / 24)
	text := t.Localize("question.reminder", "agent", q.Agent.Display(), "text", q.Text) + "\n\n" + t.Localize(how, "question", string(q.ID))
	if days > 0 {
		text += " " + t.Localize("question.left", "count", strconv.Itoa(days))
	}
	return text
}
