package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"golang.org/x/sync/errgroup"

	"errand/internal/temporal/wire"
)

// A NamespaceInUseError says that a Temporal namespace belongs to another store.
type NamespaceInUseError struct{ Store string }

func (e *NamespaceInUseError) Error() string {
	return fmt.Sprintf("it belongs to another errand store (%s)", e.Store)
}

// ClaimNamespace claims the namespace of c for a store, and returns the run of the Claim workflow.
// If the namespace belongs to another store, it returns a [*NamespaceInUseError], unless takeOver
// is set: then it ends errand's runs there first. It needs no [Dispatcher], because an unclaimed
// namespace may not be used.
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
			// The runs of a lost store would keep the ids that this store needs, if it was restored
			// from a backup of the lost one.
			if err := endRuns(ctx, c, "their store was taken over by the store "+store); err != nil {
				return "", fmt.Errorf("end the runs of the store %s: %w", owner, err)
			}
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

func ourRuns(ctx context.Context, c client.Client) (runs []*commonpb.WorkflowExecution, err error) {
	for page := []byte(nil); ; {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: "ExecutionStatus = 'Running'", NextPageToken: page})
		if err != nil {
			return nil, err
		}
		for _, w := range list.GetExecutions() {
			ours := w.GetTaskQueue() == wire.TaskQueue || strings.HasPrefix(w.GetTaskQueue(), wire.TaskQueue+"-")
			if ours && w.GetExecution().GetWorkflowId() != wire.ClaimID {
				runs = append(runs, w.GetExecution())
			}
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			return runs, nil
		}
	}
}

// endRuns terminates errand's workflows, except the claim, until Temporal lists none that runs. Other
// programs may use the namespace, too.
func endRuns(ctx context.Context, c client.Client, reason string) error {
	look := time.NewTicker(200 * time.Millisecond) // the list lags a little
	defer look.Stop()
	for {
		runs, err := ourRuns(ctx, c)
		if err != nil || len(runs) == 0 {
			return err
		}
		group, ending := errgroup.WithContext(ctx)
		group.SetLimit(8)
		for _, run := range runs {
			group.Go(func() error { return found(c.TerminateWorkflow(ending, run.GetWorkflowId(), run.GetRunId(), reason)) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
		}
	}
}
