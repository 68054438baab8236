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
	"errand/internal/temporal/wire"
)

// Maintenance configures when maintenance runs and what it deletes.
type Maintenance struct {
	Disabled     bool
	Hour, Minute int    // in Zone
	Zone         string // IANA's name; default: UTC
	Policy       store.Policy
}

// catchUp is how long after its time a missed run is still made up for, once.
const catchUp = 23 * time.Hour

// EnsureSchedule schedules daily maintenance. Several workers may call it at every start. If action
// or time of an existing schedule differ, it updates them, and keeps a pause or a note. It does not
// touch an unchanged schedule, which still makes up for a missed run.
func (d *Dispatcher) EnsureSchedule(ctx context.Context) error {
	schedules := d.client.ScheduleClient()
	if d.maintenance.Disabled {
		return found(schedules.GetHandle(ctx, wire.MaintenanceID).Delete(ctx))
	}
	err := d.createSchedule(ctx)
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	handle := schedules.GetHandle(ctx, wire.MaintenanceID)
	// An update would forget missed runs.
	found, err := handle.Describe(ctx)
	if err != nil || d.maintenance.matches(found.Schedule, d.scheduleAction()) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			schedule, spec := in.Description.Schedule, d.maintenance.spec()
			schedule.Spec, schedule.Action = &spec, d.scheduleAction()
			return &client.ScheduleUpdate{Schedule: &schedule}, nil
		},
	})
}

// RestoreSchedule creates the schedule if it was deleted. It does not change an existing one,
// because another worker may have another time.
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
		ID: wire.MaintenanceID, Spec: d.maintenance.spec(), Action: d.scheduleAction(),
		Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: catchUp,
	})
	return err
}

// RunMaintenance starts maintenance, now or after the current run. It does not wait for the end.
func (d *Dispatcher) RunMaintenance(ctx context.Context) error {
	// BUFFER_ONE: if a run is in progress, the next one waits, because a person asked for it.
	err := d.client.ScheduleClient().GetHandle(ctx, wire.MaintenanceID).Trigger(ctx,
		client.ScheduleTriggerOptions{Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_BUFFER_ONE})
	if !isNotFound(err) {
		return err
	}
	// There is no schedule.
	opts := d.options(wire.MaintenanceID, "")
	opts.Priority = temporal.Priority{PriorityKey: wire.PriorityUpkeep}
	if err := d.start(ctx, opts, wire.MaintenanceWorkflow, d.maintenanceInput()); err != nil {
		return fmt.Errorf("start maintenance: %w", err)
	}
	return nil
}

func (d *Dispatcher) maintenanceInput() wire.MaintenanceInput {
	return wire.MaintenanceInput{Store: d.store.ID(), Policy: d.maintenance.Policy, Stages: store.Stages()}
}

func (m Maintenance) spec() client.ScheduleSpec {
	return client.ScheduleSpec{
		Calendars: []client.ScheduleCalendarSpec{{
			Hour: []client.ScheduleRange{{Start: m.Hour}}, Minute: []client.ScheduleRange{{Start: m.Minute}},
		}},
		TimeZoneName: m.Zone,
	}
}

func (d *Dispatcher) scheduleAction() *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: wire.MaintenanceID, Workflow: wire.MaintenanceWorkflow, Args: []any{d.maintenanceInput()},
		TaskQueue: wire.TaskQueue, WorkflowTaskTimeout: d.settings.TaskTimeout,
		StaticSummary: "ends and removes what is past its time", Priority: temporal.Priority{PriorityKey: wire.PriorityUpkeep},
	}
}

func (m Maintenance) matches(found client.Schedule, want *client.ScheduleWorkflowAction) bool {
	action, ok := found.Action.(*client.ScheduleWorkflowAction)
	if !ok || found.Spec == nil || found.Spec.TimeZoneName != m.Zone || len(found.Spec.Calendars) != 1 || len(action.Args) != 1 {
		return false
	}
	at := found.Spec.Calendars[0]
	if len(at.Hour) != 1 || len(at.Minute) != 1 || at.Hour[0].Start != m.Hour || at.Minute[0].Start != m.Minute {
		return false
	}
	var in wire.MaintenanceInput
	payload, ok := action.Args[0].(*commonpb.Payload)
	if !ok || converter.GetDefaultDataConverter().FromPayload(payload, &in) != nil {
		return false
	}
	return reflect.DeepEqual(in, want.Args[0]) && action.TaskQueue == want.TaskQueue && action.WorkflowTaskTimeout == want.WorkflowTaskTimeout
}
