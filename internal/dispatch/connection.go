package dispatch

import (
	"context"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"

	"errand"
	"errand/workflows"
)

// StartConnection starts the Connection workflow of an account, unless it runs.
func (d *Dispatcher) StartConnection(ctx context.Context, a errand.Account) error {
	opts := d.options(workflows.ConnectionID(a), "the connection of "+a.String())
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	if err := d.start(ctx, opts, workflows.Connection, workflows.ConnectionInput{Store: d.store.ID(), Account: a}); err != nil {
		return fmt.Errorf("start the connection of %s: %w", a, err)
	}
	return nil
}

// EndConnection ends the Connection workflow of an account.
func (d *Dispatcher) EndConnection(ctx context.Context, a errand.Account) error {
	if err := found(d.client.SignalWorkflow(ctx, workflows.ConnectionID(a), "", workflows.SignalEnd, nil)); err != nil {
		return fmt.Errorf("end the connection of %s: %w", a, err)
	}
	return nil
}

// WantsConnection reports whether the connection of an account is to be held by
// some worker, as far as can be known: while Temporal is away it is.
func (d *Dispatcher) WantsConnection(ctx context.Context, a errand.Account) bool {
	found, err := d.client.DescribeWorkflowExecution(ctx, workflows.ConnectionID(a), "")
	if err != nil {
		return !isNotFound(err)
	}
	return found.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}
