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

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Resume has a workflow that waits for the end of a pause try again. It does nothing if the
// workflow does not wait.
func (d *Dispatcher) Resume(ctx context.Context, id string) error {
	return d.hasten(ctx, id, wire.AwaitResumeActivity)
}

// longestGlance limits the wait for the poll that a remote agent is making. The first check comes
// after firstGlance; then the intervals grow up to mostGlance.
const (
	longestGlance = 25 * time.Second
	firstGlance   = 50 * time.Millisecond
	mostGlance    = time.Second
)

// HastenPeer has a remote agent poll its peer at once. If a poll is running, it waits for the next
// one, because the answer may be older than the news. It ignores the end of ctx.
func (d *Dispatcher) HastenPeer(ctx context.Context, task core.TaskID, agent core.AgentName) error {
	id := string(core.SubAgentOwner(task, agent))
	ctx, end := context.WithTimeout(context.WithoutCancel(ctx), longestGlance)
	defer end()
	pause := firstGlance
	var looks time.Time // start of the current attempt's poll
	for {
		found, err := d.client.DescribeWorkflowExecution(ctx, id, "")
		if isNotFound(err) {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(found.GetPendingActivities(), func(a *workflowpb.PendingActivityInfo) bool {
			return a.GetActivityType().GetName() == wire.WatchPeerActivity
		})
		if i < 0 {
			return nil
		}
		act := found.GetPendingActivities()[i]
		if act.GetState() != enumspb.PENDING_ACTIVITY_STATE_STARTED {
			return d.hasten(ctx, id, wire.WatchPeerActivity)
		}
		since := act.GetLastStartedTime().AsTime()
		if !looks.IsZero() && !since.Equal(looks) {
			return nil // the next attempt began after the news
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

// An Attempt is a started attempt of an activity.
type Attempt struct {
	Workflow, Run string
	Activity      string // its id
	Number        int32
	Worker        string // the identity of the worker that got it
}

// ReleaseActivities has Temporal retry the lost attempts of a workflow's activities at once. Only one
// call at a time may release those of a workflow.
func (d *Dispatcher) ReleaseActivities(ctx context.Context, id string, isLost func(Attempt) bool) error {
	started, err := d.startedAttempts(ctx, id)
	if err != nil {
		return err
	}
	for _, at := range started {
		if !isLost(at) {
			continue
		}
		// Look again: the request does not name the attempt, and isLost may have taken a while.
		now, err := d.startedAttempts(ctx, id)
		if err != nil {
			return err
		}
		if !slices.Contains(now, at) {
			continue
		}
		_, err = d.client.WorkflowService().RespondActivityTaskFailedById(ctx, &workflowservice.RespondActivityTaskFailedByIdRequest{
			Namespace: d.namespace, WorkflowId: id, RunId: at.Run, ActivityId: at.Activity,
			Failure: &failurepb.Failure{
				Message: "the worker that had this is gone",
				FailureInfo: &failurepb.Failure_ApplicationFailureInfo{
					ApplicationFailureInfo: &failurepb.ApplicationFailureInfo{
						Type: "gone", NextRetryDelay: durationpb.New(time.Millisecond)}},
			},
			Identity: "errand, for " + at.Worker,
		})
		if err != nil && !isNotFound(err) {
			return err
		}
	}
	return nil
}

func (d *Dispatcher) startedAttempts(ctx context.Context, id string) (started []Attempt, err error) {
	found, err := d.client.DescribeWorkflowExecution(ctx, id, "")
	if isNotFound(err) {
		return nil, nil
	}
	run := found.GetWorkflowExecutionInfo().GetExecution().GetRunId()
	for _, act := range found.GetPendingActivities() {
		switch act.GetState() {
		case enumspb.PENDING_ACTIVITY_STATE_STARTED, enumspb.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
			started = append(started, Attempt{id, run, act.GetActivityId(), act.GetAttempt(), act.GetLastWorkerIdentity()})
		}
	}
	return started, err
}

// RunningWorkflows returns the ids of running workflows. Temporal's list lags a little.
func (d *Dispatcher) RunningWorkflows(ctx context.Context) ([]string, error) {
	var ids []string
	err := d.list(ctx, "ExecutionStatus = 'Running'", mostListed, func(w *commonpb.WorkflowExecution) { ids = append(ids, w.GetWorkflowId()) })
	return ids, err
}

// mostListed is the size of a page of Temporal's lists, by default.
const mostListed = 1000

// ListedBatch is the maximum number of ids in one query of Listed.
const ListedBatch = mostListed - 100

// Listed returns the workflows that Temporal lists as running. It makes one call for each
// [ListedBatch]. The list lags a little: a missing workflow may run, see [Dispatcher.IsRunning].
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
