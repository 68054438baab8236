package workflows

import (
	"fmt"

	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/store"
)

// MaintenanceID is the id of the schedule of the Maintenance workflow, and what
// the ids of its runs begin with.
const MaintenanceID = "errand-maintenance"

// A MaintenanceResult is what was done, and which stages could not be finished.
type MaintenanceResult struct {
	Done   []store.Count `json:"done,omitempty"`
	Failed []string      `json:"failed,omitempty"`
}

// Maintenance ends sessions that nobody has used for long and removes what is
// past its time, stage by stage. A stage that fails is left to the next run:
// everything it did stays done.
func Maintenance(ctx workflow.Context, in MaintenanceInput) (MaintenanceResult, error) {
	m := &maintenance{in: in}
	if err := m.begin(ctx); err != nil {
		return MaintenanceResult{}, err
	}
	for _, stage := range in.Stages {
		if err := m.run(ctx, stage); err != nil {
			return MaintenanceResult{}, err
		}
	}
	return m.out, m.end(ctx)
}

type maintenance struct {
	in  MaintenanceInput
	out MaintenanceResult
}

func (m *maintenance) begin(ctx workflow.Context) error {
	return workflow.ExecuteActivity(forUpkeepReport(ctx, "begin"), acts.BeginUpkeep, m.upkeep(ctx)).Get(ctx, nil)
}

func (m *maintenance) run(ctx workflow.Context, stage store.Stage) error {
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("sweeping %s", stage))
	in := activities.MaintainInput{Store: m.in.Store, Stage: stage, Policy: m.in.Policy}
	var out activities.MaintainResult
	err := workflow.ExecuteActivity(forUpkeep(ctx, string(stage)), acts.Maintain, in).Get(ctx, &out)
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // canceled: the next run goes on
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

func (m *maintenance) upkeep(ctx workflow.Context) activities.UpkeepInput {
	return activities.UpkeepInput{
		Store: m.in.Store, Run: workflow.GetInfo(ctx).WorkflowExecution.RunID, Done: m.out.Done, Failed: m.out.Failed,
	}
}
