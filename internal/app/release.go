package app

import (
	"context"
	"log/slog"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/types/known/durationpb"

	"errand"
	"errand/internal/store"
)

// release fails, to be tried again at once, the activities that a process which
// is gone had begun. It is called before the worker of this process polls, so
// every started activity belongs to a dead one, or to another worker that uses
// this process's Temporal and says in the store that it is alive.
func release(ctx context.Context, c client.Client, st *store.Store, log *slog.Logger) {
	ids, err := running(ctx, c, st)
	if err != nil {
		log.Warn("activities of the last process not released; they are retried when their heartbeat is missed", "error", err)
		return
	}
	alive, err := st.Workers(ctx)
	if err != nil {
		log.Warn("activities of the last process not released; they are retried when their heartbeat is missed", "error", err)
		return
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for id := range ids {
		group.Go(func() error {
			if err := releaseWorkflow(ctx, c, id, alive); err != nil {
				log.Debug("activities not released", "workflow", id, "error", err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		log.Warn("activities not released", "error", err)
	}
}

// running returns the ids of the workflows that may have an activity under way:
// those that Temporal lists as running, and, as its list lags a little, those
// that the store knows to be at work.
func running(ctx context.Context, c client.Client, st *store.Store) (map[string]bool, error) {
	ids := map[string]bool{}
	var page []byte
	for {
		list, err := c.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: "ExecutionStatus = 'Running'", PageSize: 1000, NextPageToken: page})
		if err != nil {
			return nil, err
		}
		for _, w := range list.GetExecutions() {
			ids[w.GetExecution().GetWorkflowId()] = true
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			break
		}
	}
	for t, err := range st.OpenTasks(ctx) {
		if err != nil {
			return nil, err
		}
		ids[string(t.ID)] = true
		for _, a := range t.Agents {
			ids[string(errand.SubAgentOwner(t.ID, a))] = true
		}
	}
	keys, err := st.RunningSessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		ids[string(k)] = true
	}
	for k, err := range st.Unclaimed(ctx, time.Now()) {
		if err != nil {
			return nil, err
		}
		ids[string(k)] = true
	}
	return ids, nil
}

func releaseWorkflow(ctx context.Context, c client.Client, id string, alive map[string]bool) error {
	desc, err := c.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return err
	}
	for _, act := range desc.GetPendingActivities() {
		if act.GetState() != enumspb.PENDING_ACTIVITY_STATE_STARTED || alive[act.GetLastWorkerIdentity()] {
			continue
		}
		_, err := c.WorkflowService().RespondActivityTaskFailedById(ctx, &workflowservice.RespondActivityTaskFailedByIdRequest{
			Namespace: client.DefaultNamespace, WorkflowId: id,
			RunId: desc.GetWorkflowExecutionInfo().GetExecution().GetRunId(), ActivityId: act.GetActivityId(),
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
