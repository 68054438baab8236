package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Reminder sleeps until a reminder is due, adds it to the inbox of its conversation, and repeats
// this until there is no next time. If several times have passed, it reminds once, for the latest.
//
// The signal cancel and a cancellation in Temporal cancel the reminder.
func Reminder(ctx workflow.Context, in wire.ReminderInput) (wire.ReminderResult, error) {
	r := &reminder{in: in}
	r.listen(ctx)
	if err := r.begin(ctx); err != nil {
		return r.end(ctx, err)
	}
	for r.at.State == core.ReminderActive {
		if err := r.sleep(ctx); err != nil || r.canceled {
			return r.end(ctx, err)
		}
		if err := r.fire(ctx); err != nil {
			return r.end(ctx, err)
		}
		if r.at.State == core.ReminderActive && !r.canceled && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return wire.ReminderResult{}, workflow.NewContinueAsNewError(ctx, Reminder, in)
		}
	}
	return wire.ReminderResult{State: r.at.State}, nil
}

type reminder struct {
	in       wire.ReminderInput
	at       wire.ReminderTime
	canceled bool
}

func (r *reminder) listen(ctx workflow.Context) {
	cancel := workflow.GetSignalChannel(ctx, wire.SignalCancel)
	workflow.Go(ctx, func(ctx workflow.Context) {
		// The content of the signal does not matter.
		r.canceled = cancel.Receive(ctx, nil)
	})
}

// begin reads the next time from an activity: a calendar's rules may change, so that a workflow
// cannot compute it.
func (r *reminder) begin(ctx workflow.Context) error {
	in := wire.NextReminderInput{Store: r.in.Store, ID: r.in.ID}
	return workflow.ExecuteActivity(forStore(ctx, "next time"), acts.NextReminder, in).Get(ctx, &r.at)
}

func (r *reminder) sleep(ctx workflow.Context) error {
	left := r.at.Next.Sub(workflow.Now(ctx))
	if left <= 0 {
		return nil
	}
	_, err := awaitFor(ctx, left.Round(time.Millisecond), func() bool { return r.canceled })
	return err
}

// fire ignores a cancellation that comes after the time of the reminder.
func (r *reminder) fire(ctx workflow.Context) error {
	in := wire.FireReminderInput{Store: r.in.Store, ID: r.in.ID, Due: r.at.Next}
	return workflow.ExecuteActivity(forStore(ctx, "remind"), acts.FireReminder, in).Get(ctx, &r.at)
}

func (r *reminder) end(ctx workflow.Context, err error) (wire.ReminderResult, error) {
	if err != nil && ctx.Err() == nil {
		return wire.ReminderResult{}, err
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	in := wire.NextReminderInput{Store: r.in.Store, ID: r.in.ID}
	if err := workflow.ExecuteActivity(forStore(ctx, "cancel"), acts.CancelReminder, in).Get(ctx, &r.at); err != nil {
		return wire.ReminderResult{}, err
	}
	return wire.ReminderResult{State: r.at.State}, err
}
