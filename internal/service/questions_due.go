package service

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand"
	"errand/internal/store"
)

// mostDue is how many questions are looked at in a pass; the next one goes on.
const mostDue = 200

// RemindOfQuestions reminds people of the questions that wait for them, and ends those
// that nobody has answered in their time. It is done for errand itself, every minute.
func (s *Service) RemindOfQuestions(ctx context.Context) error {
	now := s.Store.Now()
	due, err := s.Store.DueQuestions(ctx, now, mostDue)
	if err != nil {
		return err
	}
	var errs []error
	for _, q := range due {
		if !now.Before(q.Expires) {
			over, first, _, err := s.Store.CloseQuestion(ctx, store.CloseQuestion{ID: q.ID, State: errand.QuestionExpired})
			if err == nil && first {
				s.Logger.Info("question expired", "question", q.ID, "task", q.Task)
				s.signalAsker(ctx, over, 0)
				deciders, fault := s.Store.Deciders(ctx, q.ID)
				s.wakeDeciders(ctx, deciders)
				err = fault
			}
			errs = append(errs, err)
			continue
		}
		queued, err := s.showDue(ctx, q, now)
		if queued {
			s.WakeOutbox(ctx, q.Route)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// showDue shows a question whose time has come, or has it wait until the quiet hours of
// whom it asks are over.
func (s *Service) showDue(ctx context.Context, q errand.Question, now time.Time) (queued bool, err error) {
	if q.Approval != nil {
		if deciders, err := s.Store.Deciders(ctx, q.ID); len(deciders) > 0 || err != nil {
			return false, s.remindDeciders(ctx, q, now, deciders, err)
		}
	}
	until, err := s.Store.QuietUntil(ctx, q)
	if err != nil {
		return false, err
	}
	if !until.IsZero() {
		if held, err := s.Store.HoldQuestion(ctx, q, until); held || err != nil {
			return false, err
		}
	}
	if !q.HeldUntil.IsZero() {
		return s.Store.ShowHeldQuestion(ctx, q, s.QuestionPace)
	}
	return s.Store.RemindOfQuestion(ctx, q, s.reminderOf(ctx, q), now, s.QuestionPace)
}

// remindDeciders reminds those of an approval who were written to of it, still decide about
// it, and are not in their quiet hours; where all of them are, the first of them to wake.
func (s *Service) remindDeciders(ctx context.Context, q errand.Question, now time.Time, deciders []store.Decider, err error) error {
	if err != nil {
		return err
	}
	asker := s.personName(ctx, q.Person)
	var awake []store.Decider
	var wakes time.Time
	for _, d := range deciders {
		p, err := s.Store.Person(ctx, d.Person)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || !s.roleDecides(p.Role) {
			continue
		}
		theirs := q
		theirs.Person, theirs.Key, theirs.Task = d.Person, d.Key, ""
		until, err := s.Store.QuietUntil(ctx, theirs)
		switch {
		case err != nil:
			return err
		case !until.IsZero():
			if wakes.IsZero() || until.Before(wakes) {
				wakes = until
			}
			continue
		}
		t := s.Texts.For(p.Language, s.Language)
		d.Text, d.Options = t.Localize("approval.reminder", "agent", q.Agent.Display())+"\n\n"+t.ApprovalFor(q, asker, ""), t.ApprovalOptions(*q.Approval)
		awake = append(awake, d)
	}
	if len(awake) == 0 && !wakes.IsZero() {
		_, err := s.Store.HoldQuestion(ctx, q, wakes)
		return err
	}
	queued, err := s.Store.RemindOfQuestion(ctx, q, s.reminderOf(ctx, q), now, s.QuestionPace, awake...)
	switch {
	case queued && len(awake) > 0:
		s.wakeDeciders(ctx, awake)
	case queued:
		s.WakeOutbox(ctx, q.Route)
	}
	return err
}

// reminderOf is what a person reads who has not answered yet.
func (s *Service) reminderOf(ctx context.Context, q errand.Question) string {
	t := s.Texts.For(s.languageOf(ctx, q.Person), s.Language)
	if q.Approval != nil {
		return t.Localize("approval.reminder", "agent", q.Agent.Display()) + "\n\n" + t.Approval(q, "")
	}
	how := "question.how"
	if len(q.Options) > 0 {
		how = "question.how_options"
	}
	days := int(q.Expires.Sub(s.Store.Now()).Hours() / 24)
	text := t.Localize("question.reminder", "agent", q.Agent.Display(), "text", q.Text) + "\n\n" + t.Localize(how, "question", string(q.ID))
	if days > 0 {
		text += " " + t.Localize("question.left", "count", strconv.Itoa(days))
	}
	return text
}
