package dispatch

import (
	"context"

	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/workflows"
)

// StartReminder starts the workflow of a reminder, unless it runs.
func (d *Dispatcher) StartReminder(ctx context.Context, id errand.ReminderID) error {
	opts := d.options(string(id), "reminder "+string(id))
	opts.Priority = temporal.Priority{PriorityKey: workflows.PriorityPeople}
	return d.start(ctx, opts, workflows.Reminder, workflows.ReminderInput{Store: d.store.ID(), ID: id})
}

// StopReminder cancels the workflow of a reminder whose row is closed.
func (d *Dispatcher) StopReminder(ctx context.Context, id errand.ReminderID) error {
	return d.cancel(ctx, string(id))
}
