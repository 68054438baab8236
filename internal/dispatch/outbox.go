package dispatch

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"errand"
	"errand/workflows"
)

// OutboxID is the id of the workflow that delivers to a chat.
func OutboxID(r errand.Route) string { return workflows.OutboxID(r) }

// WakeOutbox sees to it that the outbox of a chat is being delivered.
func (d *Dispatcher) WakeOutbox(ctx context.Context, r errand.Route) error {
	return d.signalOutbox(ctx, r, workflows.SignalWake)
}

// HastenOutbox is WakeOutbox without waiting for the next attempt to be due.
func (d *Dispatcher) HastenOutbox(ctx context.Context, r errand.Route) error {
	return d.signalOutbox(ctx, r, workflows.SignalHasten)
}

// EnsureOutbox starts the Outbox workflow of a chat that has none. One that runs
// does not hear of it: asked every minute for as long as a platform is down, its
// history would grow.
func (d *Dispatcher) EnsureOutbox(ctx context.Context, r errand.Route) error {
	opts, in := d.outbox(r)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return d.start(ctx, opts, workflows.Outbox, in)
}

func (d *Dispatcher) signalOutbox(ctx context.Context, r errand.Route, signal string) error {
	opts, in := d.outbox(r)
	_, err := d.client.SignalWithStartWorkflow(ctx, opts.ID, signal, nil, opts, workflows.Outbox, in)
	return err
}

func (d *Dispatcher) outbox(r errand.Route) (client.StartWorkflowOptions, workflows.OutboxInput) {
	return d.options(workflows.OutboxID(r), "deliveries to "+r.Channel),
		workflows.OutboxInput{Store: d.store.ID(), Route: r, Again: d.settings.SendAgain}
}
