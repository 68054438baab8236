package dispatch

import (
	"context"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// OutboxID returns the id of the workflow that delivers to a chat.
func OutboxID(r core.Route) string { return wire.OutboxID(r) }

// WakeOutbox starts or wakes the delivery to a chat.
func (d *Dispatcher) WakeOutbox(ctx context.Context, r core.Route) error {
	return d.signalOutbox(ctx, r, wire.SignalWake)
}

// HastenOutbox is like WakeOutbox, and has a waiting delivery retry at once.
func (d *Dispatcher) HastenOutbox(ctx context.Context, r core.Route) error {
	return d.signalOutbox(ctx, r, wire.SignalHasten)
}

// EnsureOutbox starts the Outbox workflow of a chat unless it runs. It sends no signal, because the
// history of a running workflow would grow every minute while a platform is down.
func (d *Dispatcher) EnsureOutbox(ctx context.Context, r core.Route) error {
	opts, in := d.outbox(r)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	return d.start(ctx, opts, wire.OutboxWorkflow, in)
}

func (d *Dispatcher) signalOutbox(ctx context.Context, r core.Route, signal string) error {
	opts, in := d.outbox(r)
	_, err := d.client.SignalWithStartWorkflow(ctx, opts.ID, signal, nil, opts, wire.OutboxWorkflow, in)
	return err
}

func (d *Dispatcher) outbox(r core.Route) (client.StartWorkflowOptions, wire.OutboxInput) {
	return d.options(wire.OutboxID(r), "deliveries to "+r.Channel),
		wire.OutboxInput{Store: d.store.ID(), Route: r, Again: d.settings.SendAgain}
}
