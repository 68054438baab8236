package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"

	"errand/activities"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestJoinsWhatEndedBefore proves that a sub-agent that begins anew, because
// Temporal's database is lost, looks for the outcome of what it had asked for in
// its first life before its report is final.
func TestJoinsWhatEndedBefore(t *testing.T) {
	for _, test := range []struct {
		name  string
		waits bool
		want  []string // turn and step of each call of the model
	}{
		{"sent off", false, []string{"1.1", "1.2", "2.1"}},
		{"waited for, which the next step has seen", true, []string{"1.1", "1.2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts activities.Activities
			env.RegisterActivity(&acts)
			var got []string
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.ThinkInput) (store.StepResult, error) {
				step := fmt.Sprintf("%d.%d", in.Key.Turn, in.Key.Step)
				got = append(got, step)
				switch step {
				case "1.1":
					return store.StepResult{Calls: []store.PlannedCall{{Index: 1, By: store.ByDelegation, Task: "t-nested", Waits: test.waits, Ended: true}}}, nil
				case "1.2":
					return store.StepResult{Final: true}, nil
				}
				return store.StepResult{Empty: true}, nil
			})
			env.ExecuteWorkflow(workflows.SubAgent, wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: wire.Settings{}.WithDefaults()})
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the model is called in %v, want %v", got, test.want)
			}
		})
	}
}
