package dispatch

import (
	"bytes"
	"context"
	"errors"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"errand/internal/temporal/wire"
)

// A schedule is work that Temporal starts at certain times. Its id is that of its action.
type schedule struct {
	off     bool // it must not exist
	spec    client.ScheduleSpec
	action  *client.ScheduleWorkflowAction
	catchUp time.Duration // how long after its time a missed run is still made up for, once
}

func (d *Dispatcher) schedules() []schedule {
	return []schedule{d.maintenance.schedule(d.maintenanceInput(), d.settings.TaskTimeout), {
		off: d.backUpEvery == 0, catchUp: max(d.backUpEvery, time.Minute), spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: d.backUpEvery}}},
		action: scheduled(wire.BackupID, wire.BackupWorkflow, wire.BackupInput{Store: d.store.ID()}, "writes a backup", d.settings.TaskTimeout),
	}}
}

func scheduled(id, workflow string, in any, summary string, taskTimeout time.Duration) *client.ScheduleWorkflowAction {
	return &client.ScheduleWorkflowAction{
		ID: id, Workflow: workflow, Args: []any{in}, TaskQueue: wire.TaskQueue, WorkflowTaskTimeout: taskTimeout,
		StaticSummary: summary, Priority: temporal.Priority{PriorityKey: wire.PriorityUpkeep},
	}
}

// EnsureSchedules schedules maintenance and backups. Several workers may call it at every start. If
// action or time of an existing schedule differ, it updates them, and keeps a pause or a note. It
// does not touch an unchanged schedule, which still makes up for a missed run.
func (d *Dispatcher) EnsureSchedules(ctx context.Context) error {
	var errs []error
	for _, s := range d.schedules() {
		errs = append(errs, s.ensure(ctx, d.client))
	}
	return errors.Join(errs...)
}

// RestoreSchedules creates schedules that were deleted. It does not change existing ones, because
// another worker may have other times.
func (d *Dispatcher) RestoreSchedules(ctx context.Context) error {
	var errs []error
	for _, s := range d.schedules() {
		if s.off {
			continue
		}
		if err := s.create(ctx, d.client); !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func (s schedule) ensure(ctx context.Context, c client.Client) error {
	handle := c.ScheduleClient().GetHandle(ctx, s.action.ID)
	if s.off {
		return found(handle.Delete(ctx))
	}
	err := s.create(ctx, c)
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	// An update would forget missed runs.
	found, err := handle.Describe(ctx)
	if err != nil || s.matches(found.Schedule) {
		return err
	}
	return handle.Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			have := in.Description.Schedule
			have.Spec, have.Action = &s.spec, s.action
			return &client.ScheduleUpdate{Schedule: &have}, nil
		},
	})
}

func (s schedule) create(ctx context.Context, c client.Client) error {
	_, err := c.ScheduleClient().Create(ctx, client.ScheduleOptions{
		ID: s.action.ID, Spec: s.spec, Action: s.action, Overlap: enumspb.SCHEDULE_OVERLAP_POLICY_SKIP, CatchupWindow: s.catchUp,
	})
	return err
}

func (s schedule) matches(found client.Schedule) bool {
	action, ok := found.Action.(*client.ScheduleWorkflowAction)
	if !ok || found.Spec == nil || timesOf(*found.Spec) != timesOf(s.spec) || len(action.Args) != 1 {
		return false
	}
	have, ok := action.Args[0].(*commonpb.Payload)
	want, err := converter.GetDefaultDataConverter().ToPayload(s.action.Args[0])
	return ok && err == nil && bytes.Equal(have.GetData(), want.GetData()) &&
		action.TaskQueue == s.action.TaskQueue && action.WorkflowTaskTimeout == s.action.WorkflowTaskTimeout
}

// times are the parts of a specification that errand sets.
type times struct {
	zone         string
	hour, minute int
	every        time.Duration
}

// timesOf returns the zero value for a specification that errand does not make.
func timesOf(spec client.ScheduleSpec) times {
	switch {
	case len(spec.Intervals) == 1 && len(spec.Calendars) == 0:
		return times{every: spec.Intervals[0].Every}
	case len(spec.Calendars) == 1 && len(spec.Intervals) == 0 && len(spec.Calendars[0].Hour) == 1 && len(spec.Calendars[0].Minute) == 1:
		at := spec.Calendars[0]
		return times{zone: spec.TimeZoneName, hour: at.Hour[0].Start, minute: at.Minute[0].Start}
	}
	return times{}
}
