package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	"errand"
	"errand/workflows"
)

// Resume has a workflow that waits for the end of a pause look again at once. One
// that does not wait is left alone.
func (d *Dispatcher) Resume(ctx context.Context, id string) error {
	return d.hasten(ctx, id, workflows.AwaitResumeActivity)
}

// longestGlance is for how long a remote agent is waited for that looks just now, and
// firstGlance after how long it is first seen whether it does still; then after ever longer, up to mostGlance.
const (
	longestGlance = 25 * time.Second
	firstGlance   = 50 * time.Millisecond
	mostGlance    = time.Second
)

// HastenPeer has a remote agent that waits for its peer look at once. One that looks just now
// may have been answered before there was something new: it looks again when it has done so.
// One that does not wait is left alone. Who asked may have hung up meanwhile.
func (d *Dispatcher) HastenPeer(ctx context.Context, task errand.TaskID, agent errand.AgentName) error {
	id := string(errand.SubAgentOwner(task, agent))
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), longestGlance)
	defer end()
	pause := firstGlance
	var looks time.Time // since when the attempt looks that was under way
	for {
		found, err := d.client.DescribeWorkflowExecution(ctx, id, "")
		if isNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(found.GetPendingActivities(), func(a *workflowpb.PendingActivityInfo) bool {
			return a.GetActivityType().GetName() == workflows.WatchPeerActivity
		})
		if i < 0 {
			return nil
		}
		act := found.GetPendingActivities()[i]
		if act.GetState() != enumspb.PENDING_ACTIVITY_STATE_STARTED {
			return d.hasten(ctx, id, workflows.WatchPeerActivity)
		}
		since := act.GetLastStartedTime().AsTime()
		if !looks.IsZero() && !since.Equal(looks) {
			return nil // the next attempt began after there was something new
		}
		looks = since
		select {
		case <-time.After(pause):
			pause = min(2*pause, mostGlance)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *Dispatcher) hasten(ctx context.Context, id, activity string) error {
	_, err := d.client.WorkflowService().ResetActivity(ctx, &workflowservice.ResetActivityRequest{
		Namespace: d.namespace,
		Execution: &commonpb.WorkflowExecution{WorkflowId: id},
		Identity:  "errand",
		Activity:  &workflowservice.ResetActivityRequest_Type{Type: activity},
	})
	var none *serviceerror.InvalidArgument
	if isNotFound(err) || errors.As(err, &none) {
		return nil // it does not wait, or has ended
	}
	return err
}

// ReleaseActivities fails, to be tried again at once, the activities of a workflow
// that were begun by workers which are not alive.
func (d *Dispatcher) ReleaseActivities(ctx context.Context, id string, alive map[string]bool) error {
	found, err := d.client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return err
	}
	for _, act := range found.GetPendingActivities() {
		if act.GetState() != enumspb.PENDING_ACTIVITY_STATE_STARTED || alive[act.GetLastWorkerIdentity()] {
			continue
		}
		_, err := d.client.WorkflowService().RespondActivityTaskFailedById(ctx, &workflowservice.RespondActivityTaskFailedByIdRequest{
			Namespace: d.namespace, WorkflowId: id,
			RunId: found.GetWorkflowExecutionInfo().GetExecution().GetRunId(), ActivityId: act.GetActivityId(),
			Failure: &failurepb.Failure{
				Message: "the process that worked on this is gone",
				FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
					ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{
						Type: "gone", NextRetryDelay: durationpb.New(time.Millisecond)}},
			},
			Identity: "errand at start",
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// RunningWorkflows returns the ids of the workflows that Temporal lists as running.
// Its list lags a little.
func (d *Dispatcher) RunningWorkflows(ctx context.Context) ([]string, error) {
	var ids []string
	err := d.list(ctx, "ExecutionStatus = 'Running'", mostListed, func(w *commonpb.WorkflowExecution) { ids = append(ids, w.GetWorkflowId()) })
	return ids, err
}

// mostListed is how many workflows Temporal lists at once, by its default; a query that
// names fewer has one page.
const mostListed = 1000

// ListedBatch is for how many ids Listed asks with one call.
const ListedBatch = mostListed - 100

// Listed returns those of some workflows that Temporal lists as running, and makes one
// call for each [ListedBatch] of them. Its list lags a little: one that is missing there
// may run, see [Dispatcher.IsRunning].
func (d *Dispatcher) Listed(ctx context.Context, ids []string) (map[string]bool, error) {
	listed := make(map[string]bool, len(ids))
	for some := range slices.Chunk(ids, ListedBatch) {
		quoted := make([]string, len(some))
		for i, id := range some {
			quoted[i] = quote(id)
		}
		query := "ExecutionStatus = 'Running' AND WorkflowId IN (" + strings.Join(quoted, ", ") + ")"
		if err := d.list(ctx, query, mostListed, func(w *commonpb.WorkflowExecution) { listed[w.GetWorkflowId()] = true }); err != nil {
			return nil, fmt.Errorf("list workflows that run: %w", err)
		}
	}
	return listed, nil
}

// list calls each for every workflow that a query of Temporal's visibility finds.
func (d *Dispatcher) list(ctx context.Context, query string, pageSize int32, each func(*commonpb.WorkflowExecution)) error {
	var page []byte
	for {
		list, err := d.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: pageSize, NextPageToken: page})
		if err != nil {
			return err
		}
		for _, w := range list.GetExecutions() {
			each(w.GetExecution())
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			return nil
		}
	}
}
