package activities

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
)

// A ReminderInput names a reminder.
type ReminderInput struct {
	Store string            `json:"store"`
	ID    errand.ReminderID `json:"id"`
}

// A ReminderTime is where a reminder is in its life, and when it comes next.
type ReminderTime struct {
	State store.ReminderState `json:"state"`
	Next  time.Time           `json:"next,omitzero"`
}

func timeOf(r store.Reminder) ReminderTime { return ReminderTime{State: r.State, Next: r.Next} }

// goneReminder turns a reminder that was deleted into one that is canceled.
func goneReminder(at ReminderTime, err error) (ReminderTime, error) {
	if errors.Is(err, store.ErrNotFound) {
		return ReminderTime{State: store.ReminderCanceled}, nil
	}
	return at, failed(err)
}

// NextReminder returns when a reminder comes next.
func (a *Activities) NextReminder(ctx context.Context, in ReminderInput) (ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return ReminderTime{}, err
	}
	r, err := a.Store.Reminder(ctx, in.ID)
	return goneReminder(timeOf(r), err)
}

// A FireReminderInput names one time of a reminder, which has come.
type FireReminderInput struct {
	Store string            `json:"store"`
	ID    errand.ReminderID `json:"id"`
	Due   time.Time         `json:"due"`
}

// FireReminder puts a reminder into the inbox of its conversation, once for each
// of its times, wakes the conversation, and returns when the reminder comes
// next. Waking is repeated when it was interrupted; it is harmless.
func (a *Activities) FireReminder(ctx context.Context, in FireReminderInput) (ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return ReminderTime{}, err
	}
	a.Probe.At(probe.BeforeReminder)
	f, err := a.Store.FireReminder(ctx, in.ID, in.Due)
	if err != nil {
		return goneReminder(ReminderTime{}, err)
	}
	a.Probe.At(probe.AfterReminder)
	if f.First {
		a.Logger.Info("reminder", "reminder", in.ID, "channel", f.Reminder.Channel, "chat", f.Reminder.Chat)
	}
	if f.Row > 0 {
		if err := a.Sessions.WakeSession(ctx, f.Reminder.Key, f.Row); err != nil {
			return ReminderTime{}, failed(err)
		}
	}
	return timeOf(f.Reminder), nil
}

// CancelReminder notes that a reminder will not come again.
func (a *Activities) CancelReminder(ctx context.Context, in ReminderInput) (ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return ReminderTime{}, err
	}
	r, err := a.Store.CancelReminder(ctx, in.ID)
	return goneReminder(timeOf(r), err)
}
