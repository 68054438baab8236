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
		queued, err := s.remindOf(ctx, q, now)
		if queued {
			s.WakeOutbox(ctx, q.Route)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// remindOf reminds those who can answer a question.
func (s *Service) remindOf(ctx context.Context, q errand.Question, now time.Time) (queued bool, err error) {
	if q.Approval != nil {
		if deciders, err := s.Store.Deciders(ctx, q.ID); len(deciders) > 0 || err != nil {
			return false, s.remindDeciders(ctx, q, now, deciders, err)
		}
	}
	return s.Store.RemindOfQuestion(ctx, q, s.reminderOf(ctx, q), now, s.QuestionPace)
}

// remindDeciders reminds the people of an approval to whom errand wrote and who may still
// decide about it.
func (s *Service) remindDeciders(ctx context.Context, q errand.Question, now time.Time, deciders []store.Decider, err error) error {
	if err != nil {
		return err
	}
	asker := s.personName(ctx, q.Person)
	var reminded []store.Decider
	for _, d := range deciders {
		p, err := s.Store.Person(ctx, d.Person)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err != nil || !s.roleDecides(p.Role) {
			continue
		}
		t := s.Texts.For(p.Language, s.Language)
		d.Text, d.Options = t.Localize("approval.reminder", "agent", q.Agent.Display())+"\n\n"+t.ApprovalFor(q, asker, ""), t.ApprovalOptions(*q.Approval)
		reminded = append(reminded, d)
	}
	queued, err := s.Store.RemindOfQuestion(ctx, q, s.reminderOf(ctx, q), now, s.QuestionPace, reminded...)
	switch {
	case queued && len(reminded) > 0:
		s.wakeDeciders(ctx, reminded)
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
