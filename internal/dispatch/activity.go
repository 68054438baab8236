package dispatch

import (
	"context"
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"google.golang.org/protobuf/types/known/durationpb"

	"errand/workflows"
)

// Resume has a workflow that waits for the end of a pause look again at once. One
// that does not wait is left alone.
func (d *Dispatcher) Resume(ctx context.Context, id string) error {
	_, err := d.client.WorkflowService().ResetActivity(ctx, &workflowservice.ResetActivityRequest{
		Namespace: d.namespace,
		Execution: &commonpb.WorkflowExecution{WorkflowId: id},
		Identity:  "errand resume",
		Activity:  &workflowservice.ResetActivityRequest_Type{Type: workflows.AwaitResumeActivity},
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
	err := d.list(ctx, "ExecutionStatus = 'Running'", 1000, func(w *commonpb.WorkflowExecution) { ids = append(ids, w.GetWorkflowId()) })
	return ids, err
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
