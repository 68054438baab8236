package service

import (
	"context"
	"errors"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
	"errand/internal/when"
)

// A Reminder is what wakes a conversation when its time comes.
type Reminder = store.Reminder

// Remind sets a reminder: at the time that at says, in the words of people, the
// agent of the conversation says what text asks for. The conversation need not
// have begun. What is wrong with the time is said in the actor's language.
func (s *Service) Remind(ctx context.Context, by Actor, key errand.SessionKey, at, text string) (store.Reminder, error) {
	if err := s.may(by, rights.RemindersSet); err != nil {
		return store.Reminder{}, err
	}
	// Who may not have an agent set one does not set one past it.
	if err := s.MayUse(by, rights.Tool, "remind_me"); err != nil {
		return store.Reminder{}, err
	}
	_, person, err := key.Parse()
	if err != nil {
		return store.Reminder{}, Invalid("chat", "refusal.no_chat")
	}
	if s.changes(by, key) != nil {
		return store.Reminder{}, Forbidden("refusal.others_remind", "role", s.leastFor(rights.OthersChange))
	}
	if person == errand.Everyone {
		person = by.Person
	}
	in := store.Reminder{Person: person, Key: key, Role: by.Role}
	current, err := s.Store.Current(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return in, err
	}
	in.Session, in.Group = current.ID, current.Group
	r, err := s.createReminder(ctx, in, when.Time{Words: at}, by.TimeZone, text)
	var bad *when.Error
	if errors.As(err, &bad) {
		err = s.badTime(s.Texts.For(by.Language, s.Language), bad)
	}
	return r, err
}

// RemindFor sets a reminder for a tool call, once. The model reads in English what is
// wrong with the time.
func (s *Service) RemindFor(ctx context.Context, call store.Call, at when.Time, text string) (store.Reminder, error) {
	if err := s.may(callerOf(call, "remind_me"), rights.RemindersSet); err != nil {
		return store.Reminder{}, err
	}
	p, err := s.Store.Person(ctx, call.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return store.Reminder{}, err
	}
	r, err := s.createReminder(ctx, store.Reminder{
		Person: call.Person, Key: call.Origin.SessionKey, Session: call.Session, Agent: call.Agent, Role: call.Origin.Role, Group: call.Origin.Group,
		Call: call.Key.String(),
	}, at, p.TimeZone, text)
	var bad *when.Error
	if errors.As(err, &bad) {
		err = s.badTime(s.Texts.For(texts.English), bad)
	}
	return r, err
}

// createReminder reads at by the clocks of zone, or by the installation's where that is
// empty and in groups: their people may have several.
func (s *Service) createReminder(ctx context.Context, in store.Reminder, at when.Time, zone, text string) (store.Reminder, error) {
	var err error
	if in.Text, err = CleanText(text, s.MessageBytes); err != nil {
		return in, err
	}
	if in.Call != "" {
		// A second attempt may find that the time has come meanwhile.
		there, err := s.Store.ReminderOf(ctx, in.Call)
		if err == nil {
			return there, s.Dispatch.StartReminder(ctx, there.ID)
		}
		if !errors.Is(err, store.ErrNotFound) {
			return in, err
		}
	}
	now := s.Store.Now()
	if in.Group || in.Key.Shared() {
		zone = ""
	}
	if in.Spec, err = at.Spec(now, when.ZoneOr(zone, s.Zone)); err != nil {
		return in, err
	}
	in.Next, _ = in.Spec.Next(now) // Spec has seen that there is one
	r, err := s.Store.CreateReminder(ctx, in)
	switch {
	case errors.Is(err, store.ErrTooMany):
		return r, Refuse(KindTooMany, "too_many", "refusal.many_reminders", "number", store.MaxReminders)
	case errors.Is(err, store.ErrTooLarge):
		return r, Refuse(KindTooLarge, "too_large", "refusal.long_reminder", "most", store.MaxReminderText, "number", len(in.Text))
	case err != nil:
		return r, err
	}
	s.Logger.Info("reminder set", "reminder", r.ID, "channel", r.Channel, "chat", r.Chat, "next", r.Next)
	if err := s.Dispatch.StartReminder(ctx, r.ID); err != nil {
		s.Logger.Warn("reminder not started; the watchdog will", "reminder", r.ID, "error", err)
	}
	return r, nil
}

// Reminders returns the actor's reminders that will come; with all, also those
// that are over.
func (s *Service) Reminders(ctx context.Context, by Actor, all bool, p Page) ([]store.Reminder, error) {
	if err := s.may(by, rights.RemindersRead); err != nil {
		return nil, err
	}
	return paged(s.Store.Reminders(ctx, store.ReminderFilter{Person: by.Person, After: p.After, Limit: p.Limit}, all))
}

// RemindersIn returns the reminders that will come in a conversation.
func (s *Service) RemindersIn(ctx context.Context, by Actor, key errand.SessionKey) ([]store.Reminder, error) {
	if err := s.may(by, rights.RemindersRead); err != nil {
		return nil, err
	}
	if err := s.reads(by, key); err != nil {
		return nil, err
	}
	return s.Store.Reminders(ctx, store.ReminderFilter{Key: key}, false)
}

// RemindersFor returns the reminders that a tool call is about.
func (s *Service) RemindersFor(ctx context.Context, call store.Call) ([]store.Reminder, error) {
	if err := s.may(callerOf(call, "list_reminders"), rights.RemindersRead); err != nil {
		return nil, err
	}
	return s.Store.Reminders(ctx, call.Reminders(), false)
}

// CancelReminder ends the reminder whose id begins so: the actor's own, or, for
// a master_admin, anybody's.
func (s *Service) CancelReminder(ctx context.Context, by Actor, prefix string) (store.Reminder, error) {
	if err := s.may(by, rights.RemindersCancel); err != nil {
		return store.Reminder{}, err
	}
	r, err := s.Store.FindReminder(ctx, prefix, store.ReminderFilter{Person: by.Person})
	if errors.Is(err, store.ErrNotFound) && s.changesOthers(by) == nil {
		r, err = s.Store.FindReminder(ctx, prefix, store.ReminderFilter{})
	}
	if err != nil {
		return r, Known(err)
	}
	return s.closeReminder(ctx, r)
}

// CancelReminderFor ends one of the reminders that a tool call is about.
func (s *Service) CancelReminderFor(ctx context.Context, call store.Call, prefix string) (store.Reminder, error) {
	if err := s.may(callerOf(call, "cancel_reminder"), rights.RemindersCancel); err != nil {
		return store.Reminder{}, err
	}
	r, err := s.Store.FindReminder(ctx, prefix, call.Reminders())
	if err != nil {
		return r, Known(err)
	}
	return s.closeReminder(ctx, r)
}

// closeReminder closes the row first: from then on it does not come.
func (s *Service) closeReminder(ctx context.Context, r store.Reminder) (store.Reminder, error) {
	if r.State == store.ReminderDone {
		return r, conflict("over", "refusal.reminder_over", "reminder", r.ID)
	}
	r, err := s.Store.CancelReminder(ctx, r.ID)
	if err != nil {
		return r, Known(err)
	}
	if err := s.Dispatch.StopReminder(ctx, r.ID); err != nil {
		// It finds out when its time comes.
		s.Logger.Warn("workflow of a canceled reminder not canceled", "reminder", r.ID, "error", err)
	}
	s.Logger.Info("reminder canceled", "reminder", r.ID)
	return r, nil
}
