package gateway

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/activities"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/workflows"
)

// Upkeep says when maintenance runs and what is past its time.
type Upkeep struct {
	Disabled     bool
	Hour, Minute int    // in Zone
	Zone         string // IANA's name; default: UTC
	Policy       store.Policy
}

var _ activities.Histories = (*Gateway)(nil)

// catchUp is for how long a run that was missed, because nothing was running at
// its time, is made up for: one at most.
const catchUp = 23 * time.Hour

// EnsureSchedule sees to it that maintenance runs every day at its time. It may
// be called at every start and by several workers. Of a schedule that is there
// it changes what is to be done and when, if that is different, and leaves
// everything else to whoever paused it, or set its note; one that has nothing to
// change still makes up for a run that was missed.
func (g *Gateway) EnsureSchedule(ctx context.Context) error {
	schedules := g.Client.ScheduleClient()
	if g.Upkeep.Disabled {
		err := schedules.GetHandle(ctx, workflows.MaintenanceID).Delete(ctx)
		if isNotFound(err) {
			return nil
		}
		return err
	}
	_, err := schedules.Create(ctx, client.ScheduleOptions{
		ID: workflows.MaintenanceID, Spec: g.upkeepSpec(), Action: g.upkeepAction(),
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp,
	})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	handle := schedules.GetHandle(ctx, workflows.MaintenanceID)
	// Updating one forgets the runs that it has to make up for.
	found, err := handle.Describe(ctx)
	if err != nil || g.sameSchedule(found.Schedule) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			schedule, spec := in.Description.Schedule, g.upkeepSpec()
			schedule.Spec, schedule.Action = &spec, g.upkeepAction()
			return &client.ScheduleUpdate{Schedule: &schedule}, nil
		},
	})
}

func (g *Gateway) upkeepSpec() client.ScheduleSpec {
	return client.ScheduleSpec{
		Calendars: []client.ScheduleCalendarSpec{{
			Hour: []client.ScheduleRange{{Start: g.Upkeep.Hour}}, Minute: []client.ScheduleRange{{Start: g.Upkeep.Minute}},
		}},
		TimeZoneName: g.upkeepZone(),
	}
}

func (g *Gateway) upkeepZone() string {
	if g.Upkeep.Zone == "" {
		return "UTC"
	}
	return g.Upkeep.Zone
}

func (g *Gateway) upkeepInput() workflows.MaintenanceInput {
	return workflows.MaintenanceInput{Store: g.Store.ID(), Policy: g.Upkeep.Policy, Stages: store.Stages()}
}

func (g *Gateway) upkeepAction() *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: workflows.MaintenanceID, Workflow: workflows.Maintenance, Args: []any{g.upkeepInput()},
		TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: g.Settings.TaskTimeout,
		StaticSummary: "ends and removes what is past its time", Priority: temporal.Priority{PriorityKey: workflows.ForUpkeep},
	}
}

// sameSchedule reports whether a schedule runs what it is to run, when it is to.
func (g *Gateway) sameSchedule(found client.Schedule) bool {
	action, ok := found.Action.(*client.ScheduleWorkflowAction)
	if !ok || found.Spec == nil || found.Spec.TimeZoneName != g.upkeepZone() || len(found.Spec.Calendars) != 1 || len(action.Args) != 1 {
		return false
	}
	at := found.Spec.Calendars[0]
	if len(at.Hour) != 1 || len(at.Minute) != 1 || at.Hour[0].Start != g.Upkeep.Hour || at.Minute[0].Start != g.Upkeep.Minute {
		return false
	}
	var in workflows.MaintenanceInput
	payload, ok := action.Args[0].(*commonpb.Payload)
	if !ok || converter.GetDefaultDataConverter().FromPayload(payload, &in) != nil {
		return false
	}
	return reflect.DeepEqual(in, g.upkeepInput()) && action.TaskQueue == workflows.TaskQueue && action.WorkflowTaskTimeout == g.Settings.TaskTimeout
}

// RunMaintenance has maintenance run now, or after the run that is under way. It
// does not wait for it: see [Gateway.Maintenance].
func (g *Gateway) RunMaintenance(ctx context.Context, by Actor) error {
	if err := g.May(by, rights.Route, "POST /api/maintenance/run"); err != nil {
		return err
	}
	// While one runs, or the schedule has not noticed yet that it does not, the
	// next one waits: somebody asked for it.
	err := g.Client.ScheduleClient().GetHandle(ctx, workflows.MaintenanceID).Trigger(ctx,
		client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
	if !isNotFound(err) {
		return err
	}
	// It is not scheduled here.
	_, err = g.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: workflows.MaintenanceID, TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: g.Settings.TaskTimeout,
		Priority: temporal.Priority{PriorityKey: workflows.ForUpkeep},
	}, workflows.Maintenance, g.upkeepInput())
	if err != nil {
		return fmt.Errorf("start maintenance: %w", err)
	}
	return nil
}

// An UpkeepRun is one run of maintenance, and what it did.
type UpkeepRun = store.Upkeep

// Maintenance lists what the latest runs did, the newest first.
func (g *Gateway) Maintenance(ctx context.Context, by Actor, limit int) ([]UpkeepRun, error) {
	if err := g.May(by, rights.Route, "GET /api/maintenance"); err != nil {
		return nil, err
	}
	return g.Store.Upkeeps(ctx, limit)
}

// IsRunning reports whether a workflow runs.
func (g *Gateway) IsRunning(ctx context.Context, id string) (bool, error) {
	desc, err := g.Client.DescribeWorkflowExecution(ctx, id, "")
	if isNotFound(err) {
		return false, nil
	}
	return err == nil && isRunning(desc.GetWorkflowExecutionInfo().GetStatus()), err
}
