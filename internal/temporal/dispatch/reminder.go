package dispatch

import (
	"context"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// StartReminder starts the workflow of a reminder, unless it runs.
func (d *Dispatcher) StartReminder(ctx context.Context, id core.ReminderID) error {
	opts := d.options(string(id), "reminder "+string(id))
	opts.Priority = temporal.Priority{PriorityKey: wire.PriorityPeople}
	return d.start(ctx, opts, wire.ReminderWorkflow, wire.ReminderInput{Store: d.store.ID(), ID: id})
}

// StopReminder cancels the workflow of a reminder whose row is closed.
func (d *Dispatcher) StopReminder(ctx context.Context, id core.ReminderID) error {
	return d.cancel(ctx, string(id))
}
