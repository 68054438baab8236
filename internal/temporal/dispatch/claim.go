package dispatch

import (
	"context"
	"errors"
	"fmt"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"errand/internal/temporal/wire"
)

// A NamespaceInUseError says that a Temporal namespace belongs to another store.
type NamespaceInUseError struct{ Store string }

func (e *NamespaceInUseError) Error() string {
	return fmt.Sprintf("it belongs to another errand store (%s)", e.Store)
}

// ClaimNamespace claims the namespace of c for a store, and returns the run of the Claim workflow.
// If the namespace belongs to another store, it returns a [*NamespaceInUseError], unless takeOver
// is set. It needs no [Dispatcher], because an unclaimed namespace may not be used.
func ClaimNamespace(ctx context.Context, c client.Client, store string, takeOver bool) (run string, err error) {
	const attempts = 5 // others may claim it, or give it up, at the same moment
	for range attempts {
		run, owner, err := claimedBy(ctx, c)
		if err != nil {
			return "", err
		}
		switch {
		case run == "": // it has no owner
		case owner == store:
			return run, nil
		case !takeOver:
			return "", &NamespaceInUseError{owner}
		default:
			if err := found(c.TerminateWorkflow(ctx, wire.ClaimID, run, "taken over by the store "+store)); err != nil {
				return "", fmt.Errorf("take the namespace over: %w", err)
			}
		}
		started, err := c.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
			ID: wire.ClaimID, TaskQueue: wire.TaskQueue, WorkflowExecutionErrorWhenAlreadyStarted: true,
			WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
			Memo:                  map[string]any{wire.ClaimMemo: store},
			StaticSummary:         "keeps this namespace for one store",
		}, wire.ClaimWorkflow, wire.ClaimInput{Store: store})
		if errors.As(err, new(*serviceerror.WorkflowExecutionAlreadyStarted)) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("claim the namespace: %w", err)
		}
		return started.GetRunID(), nil
	}
	return "", errors.New("claim the namespace: others claim it at the same time; start again")
}

func claimedBy(ctx context.Context, c client.Client) (run, store string, err error) {
	desc, err := c.DescribeWorkflowExecution(ctx, wire.ClaimID, "")
	if err := found(err); err != nil {
		return "", "", fmt.Errorf("ask whom the namespace belongs to: %w", err)
	}
	info := desc.GetWorkflowExecutionInfo()
	if info.GetStatus() != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return "", "", nil
	}
	if err := converter.GetDefaultDataConverter().FromPayload(info.GetMemo().GetFields()[wire.ClaimMemo], &store); err != nil {
		return "", "", fmt.Errorf("read whom the namespace belongs to: %w", err)
	}
	return info.GetExecution().GetRunId(), store, nil
}
