package dispatch

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

	"errand/internal/store"
	"errand/workflows"
)

// Maintenance says when maintenance runs and what is past its time.
type Maintenance struct {
	Disabled     bool
	Hour, Minute int    // in Zone
	Zone         string // IANA's name; default: UTC
	Policy       store.Policy
}

// catchUp is for how long a run that was missed, because nothing was running at
// its time, is made up for: one at most.
const catchUp = 23 * time.Hour

// EnsureSchedule sees to it that maintenance runs every day at its time. It may
// be called at every start and by several workers. Of a schedule that is there
// it changes what is to be done and when, if that is different, and leaves
// everything else to whoever paused it, or set its note; one that has nothing to
// change still makes up for a run that was missed.
func (d *Dispatcher) EnsureSchedule(ctx context.Context) error {
	schedules := d.client.ScheduleClient()
	if d.maintenance.Disabled {
		return found(schedules.GetHandle(ctx, workflows.MaintenanceID).Delete(ctx))
	}
	err := d.createSchedule(ctx)
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	handle := schedules.GetHandle(ctx, workflows.MaintenanceID)
	// Updating one forgets the runs that it has to make up for.
	found, err := handle.Describe(ctx)
	if err != nil || d.isScheduled(found.Schedule) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			schedule, spec := in.Description.Schedule, d.scheduleSpec()
			schedule.Spec, schedule.Action = &spec, d.scheduleAction()
			return &client.ScheduleUpdate{Schedule: &schedule}, nil
		},
	})
}

// RestoreSchedule makes the schedule again if it is gone, as somebody may have deleted
// it. One that is there it leaves as it is: another worker may want another time.
func (d *Dispatcher) RestoreSchedule(ctx context.Context) error {
	if d.maintenance.Disabled {
		return nil
	}
	err := d.createSchedule(ctx)
	if errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return nil
	}
	return err
}

func (d *Dispatcher) createSchedule(ctx context.Context) error {
	_, err := d.client.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: workflows.MaintenanceID, Spec: d.scheduleSpec(), Action: d.scheduleAction(),
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp,
	})
	return err
}

// RunMaintenance has maintenance run now, or after the run that is under way. It
// does not wait for it.
func (d *Dispatcher) RunMaintenance(ctx context.Context) error {
	// While one runs, or the schedule has not noticed yet that it does not, the
	// next one waits: somebody asked for it.
	err := d.client.ScheduleClient().GetHandle(ctx, workflows.MaintenanceID).Trigger(ctx,
		client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
	if !isNotFound(err) {
		return err
	}
	// It is not scheduled here.
	opts := d.options(workflows.MaintenanceID, "")
	opts.Priority = temporal.Priority{PriorityKey: workflows.PriorityUpkeep}
	if err := d.start(ctx, opts, workflows.Maintenance, d.maintenanceInput()); err != nil {
		return fmt.Errorf("start maintenance: %w", err)
	}
	return nil
}

func (d *Dispatcher) maintenanceInput() workflows.MaintenanceInput {
	return workflows.MaintenanceInput{Store: d.store.ID(), Policy: d.maintenance.Policy, Stages: store.Stages()}
}

func (d *Dispatcher) scheduleSpec() client.ScheduleSpec {
	return client.ScheduleSpec{
		Calendars: []client.ScheduleCalendarSpec{{
			Hour: []client.ScheduleRange{{Start: d.maintenance.Hour}}, Minute: []client.ScheduleRange{{Start: d.maintenance.Minute}},
		}},
		TimeZoneName: d.maintenance.Zone,
	}
}

func (d *Dispatcher) scheduleAction() *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: workflows.MaintenanceID, Workflow: workflows.Maintenance, Args: []any{d.maintenanceInput()},
		TaskQueue: workflows.TaskQueue, WorkflowTaskTimeout: d.settings.TaskTimeout,
		StaticSummary: "ends and removes what is past its time", Priority: temporal.Priority{PriorityKey: workflows.PriorityUpkeep},
	}
}

// isScheduled reports whether a schedule runs what it is to run, when it is to.
func (d *Dispatcher) isScheduled(found client.Schedule) bool {
	action, ok := found.Action.(*client.ScheduleWorkflowAction)
	if !ok || found.Spec == nil || found.Spec.TimeZoneName != d.maintenance.Zone || len(found.Spec.Calendars) != 1 || len(action.Args) != 1 {
		return false
	}
	at := found.Spec.Calendars[0]
	if len(at.Hour) != 1 || len(at.Minute) != 1 || at.Hour[0].Start != d.maintenance.Hour || at.Minute[0].Start != d.maintenance.Minute {
		return false
	}
	var in workflows.MaintenanceInput
	payload, ok := action.Args[0].(*commonpb.Payload)
	if !ok || converter.GetDefaultDataConverter().FromPayload(payload, &in) != nil {
		return false
	}
	return reflect.DeepEqual(in, d.maintenanceInput()) && action.TaskQueue == workflows.TaskQueue && action.WorkflowTaskTimeout == d.settings.TaskTimeout
}
