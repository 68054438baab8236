package dispatch

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// StartConnection starts the Connection workflow of an account, unless it runs. It asks first,
// because it is called every minute, and Temporal Cloud bills each request to start a workflow.
func (d *Dispatcher) StartConnection(ctx context.Context, a core.Account) error {
	if running, err := d.IsRunning(ctx, wire.ConnectionID(a)); err == nil && running {
		return nil
	}
	opts := d.options(wire.ConnectionID(a), "the connection of "+a.String())
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	if err := d.start(ctx, opts, wire.ConnectionWorkflow, wire.ConnectionInput{Store: d.store.ID(), Account: a}); err != nil {
		return fmt.Errorf("start the connection of %s: %w", a, err)
	}
	return nil
}

// EndConnection ends the Connection workflow of an account.
func (d *Dispatcher) EndConnection(ctx context.Context, a core.Account) error {
	if err := found(d.client.SignalWorkflow(ctx, wire.ConnectionID(a), "", wire.SignalEnd, nil)); err != nil {
		return fmt.Errorf("end the connection of %s: %w", a, err)
	}
	return nil
}
