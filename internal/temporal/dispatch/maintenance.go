package dispatch

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
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

// schedule makes up for a missed run, once, for almost a day.
func (m Maintenance) schedule(in wire.MaintenanceInput, taskTimeout time.Duration) schedule {
	return schedule{
		off: m.Disabled, catchUp: 23 * time.Hour,
		action: scheduled(wire.MaintenanceID, wire.MaintenanceWorkflow, in, "ends and removes what is past its time", taskTimeout),
		spec: client.ScheduleSpec{
			Calendars: []client.ScheduleCalendarSpec{{
				Hour: []client.ScheduleRange{{Start: m.Hour}}, Minute: []client.ScheduleRange{{Start: m.Minute}},
			}},
			TimeZoneName: m.Zone,
		},
	}
}
