package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/store"
)

// A ReminderResult is the state that the reminder ended in.
type ReminderResult struct {
	State store.ReminderState `json:"state"`
}

// Reminder sleeps until the next time of a reminder, puts it into the inbox of
// its conversation, and sleeps on, until there is no next time. When several
// times have passed meanwhile, the latest stands for all.
//
// The signal cancel and a cancellation from Temporal end it, with the reminder.
func Reminder(ctx workflow.Context, in ReminderInput) (ReminderResult, error) {
	r := &reminder{in: in}
	r.listen(ctx)
	if err := r.begin(ctx); err != nil {
		return r.end(ctx, err)
	}
	for r.at.State == store.ReminderActive {
		if err := r.sleep(ctx); err != nil || r.canceled {
			return r.end(ctx, err)
		}
		if err := r.fire(ctx); err != nil {
			return r.end(ctx, err)
		}
		if r.at.State == store.ReminderActive && !r.canceled && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return ReminderResult{}, workflow.NewContinueAsNewError(ctx, Reminder, in)
		}
	}
	return ReminderResult{State: r.at.State}, nil
}

type reminder struct {
	in       ReminderInput
	at       activities.ReminderTime
	canceled bool
}

func (r *reminder) listen(ctx workflow.Context) {
	cancel := workflow.GetSignalChannel(ctx, SignalCancel)
	workflow.Go(ctx, func(ctx workflow.Context) {
		// Whatever comes with it: it is a cancellation.
		r.canceled = cancel.Receive(ctx, nil)
	})
}

// begin asks for the next time: workflows know no calendar, whose rules change.
func (r *reminder) begin(ctx workflow.Context) error {
	in := activities.ReminderInput{Store: r.in.Store, ID: r.in.ID}
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

// fire puts the reminder into the inbox and wakes its conversation. Once the
// time has come a cancellation is too late for it.
func (r *reminder) fire(ctx workflow.Context) error {
	in := activities.FireReminderInput{Store: r.in.Store, ID: r.in.ID, Due: r.at.Next}
	return workflow.ExecuteActivity(forStore(ctx, "remind"), acts.FireReminder, in).Get(ctx, &r.at)
}

// end notes in the store that the reminder is canceled, if it is, and ends the
// run. err is what ended it: a cancellation from Temporal, if anything.
func (r *reminder) end(ctx workflow.Context, err error) (ReminderResult, error) {
	if err != nil && ctx.Err() == nil {
		return ReminderResult{}, err
	}
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	in := activities.ReminderInput{Store: r.in.Store, ID: r.in.ID}
	if err := workflow.ExecuteActivity(forStore(ctx, "cancel"), acts.CancelReminder, in).Get(ctx, &r.at); err != nil {
		return ReminderResult{}, err
	}
	return ReminderResult{State: r.at.State}, err
}
