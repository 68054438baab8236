package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Maintenance ends idle sessions and deletes expired data, stage by stage. If a stage fails, the
// next run continues it; what it has deleted stays deleted.
func Maintenance(ctx workflow.Context, in wire.MaintenanceInput) (wire.MaintenanceResult, error) {
	m := &maintenance{in: in}
	if err := m.begin(ctx); err != nil {
		return wire.MaintenanceResult{}, err
	}
	for _, stage := range in.Stages {
		if err := m.run(ctx, stage); err != nil {
			return wire.MaintenanceResult{}, err
		}
	}
	return m.out, m.end(ctx)
}

type maintenance struct {
	in  wire.MaintenanceInput
	out wire.MaintenanceResult
}

func (m *maintenance) begin(ctx workflow.Context) error {
	return workflow.ExecuteActivity(forUpkeepReport(ctx, "begin"), acts.BeginUpkeep, m.upkeep(ctx)).Get(ctx, nil)
}

func (m *maintenance) run(ctx workflow.Context, stage store.Stage) error {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("sweeping %s", stage))
	in := wire.MaintainInput{Store: m.in.Store, Stage: stage, Policy: m.in.Policy}
	var out wire.MaintainResult
	err := workflow.ExecuteActivity(forUpkeep(ctx, string(stage)), acts.Maintain, in).Get(ctx, &out)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // canceled: the next run continues
	case err != nil:
		workflow.GetLogger(ctx).Warn("stage of maintenance not finished", "stage", string(stage), "error", err)
		m.out.Failed = append(m.out.Failed, string(stage))
	}
	m.out.Done = append(m.out.Done, out.Done...)
	return nil
}

func (m *maintenance) end(ctx workflow.Context) error {
	workflow.SetCurrentDetails(ctx, "done")
	return workflow.ExecuteActivity(forUpkeepReport(ctx, "end"), acts.EndUpkeep, m.upkeep(ctx)).Get(ctx, nil)
}

func (m *maintenance) upkeep(ctx workflow.Context) wire.UpkeepInput {
	return wire.UpkeepInput{
		Store: m.in.Store, Run: workflow.GetInfo(ctx).WorkflowExecution.RunID, Done: m.out.Done, Failed: m.out.Failed,
	}
}
