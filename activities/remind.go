package activities

import (
	"context"
	"errors"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Reminders has the activities of reminders.
type Reminders struct {
	*worker
	sessions Sessions
}

func timeOf(r store.Reminder) wire.ReminderTime {
	return wire.ReminderTime{State: r.State, Next: r.Next}
}

func goneReminder(at wire.ReminderTime, err error) (wire.ReminderTime, error) {
	if errors.Is(err, store.ErrNotFound) {
		return wire.ReminderTime{State: core.ReminderCanceled}, nil
	}
	return at, failed(err)
}

// NextReminder returns when a reminder is due next.
func (a *Reminders) NextReminder(ctx context.Context, in wire.NextReminderInput) (wire.ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return wire.ReminderTime{}, err
	}
	r, err := a.store.Reminder(ctx, in.ID)
	return goneReminder(timeOf(r), err)
}

// FireReminder adds a reminder to the inbox of its conversation, once for each due time, wakes the
// conversation, and returns when the reminder is due next. An interrupted wake-up is repeated,
// which is harmless.
func (a *Reminders) FireReminder(ctx context.Context, in wire.FireReminderInput) (wire.ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return wire.ReminderTime{}, err
	}
	a.probe.At(probe.BeforeReminder)
	f, err := a.store.FireReminder(ctx, in.ID, in.Due)
	if err != nil {
		return goneReminder(wire.ReminderTime{}, err)
	}
	a.probe.At(probe.AfterReminder)
	if f.First {
		a.logger.Info("reminder", "reminder", in.ID, "channel", f.Reminder.Channel, "chat", f.Reminder.Chat)
	}
	if f.Row > 0 {
		if err := a.sessions.WakeSession(ctx, f.Reminder.Key, f.Row); err != nil {
			return wire.ReminderTime{}, failed(err)
		}
	}
	return timeOf(f.Reminder), nil
}

func (a *Reminders) CancelReminder(ctx context.Context, in wire.NextReminderInput) (wire.ReminderTime, error) {
	if err := a.at(in.Store); err != nil {
		return wire.ReminderTime{}, err
	}
	r, err := a.store.CancelReminder(ctx, in.ID)
	return goneReminder(timeOf(r), err)
}
