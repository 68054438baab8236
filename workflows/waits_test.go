package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestLooksOnceForAnOutcome proves that no other turn runs for an outcome that a step was
// given because its turn waited for it.
func TestLooksOnceForAnOutcome(t *testing.T) {
	settings := wire.Settings{SuspendAfter: time.Minute}.WithDefaults()
	session := wire.SessionInput{Key: core.NewSessionKey(core.WebRoute("main"), "ada"), Settings: settings}
	subAgent := wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: settings}
	once, twice := []string{"1.1", "1.2"}, []string{"1.1", "1.2", "2.1"}
	for _, test := range []struct {
		name    string
		run, in any
		waits   bool
		early   bool // the outcome comes before it is heard that the task was started
		want    []string
	}{
		{"a session waits", workflows.Session, session, true, false, once},
		{"a session waits, the outcome is early", workflows.Session, session, true, true, once},
		{"a session goes on, the outcome is early", workflows.Session, session, false, true, twice},
		{"a sub-agent waits", workflows.SubAgent, subAgent, true, false, once},
		{"a sub-agent waits, the outcome is early", workflows.SubAgent, subAgent, true, true, once},
		{"a sub-agent goes on, the outcome is early", workflows.SubAgent, subAgent, false, true, twice},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts activities.Activities
			env.RegisterActivity(&acts)
			env.OnActivity(acts.Rehydrate, mock.Anything, mock.Anything).Return(
				wire.Rehydrated{Settings: settings, Rehydrated: store.Rehydrated{Session: "s1", NextTurn: 1, Messages: true}}, nil)
			env.OnActivity(acts.Suspend, mock.Anything, mock.Anything).Return(nil)
			finished := func() {
				env.SignalWorkflow(wire.SignalTaskFinished, wire.TaskFinishedSignal{Task: "t-nested"})
			}
			var steps []string
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.ThinkInput) (store.StepResult, error) {
				steps = append(steps, fmt.Sprintf("%d.%d", in.Key.Turn, in.Key.Step))
				switch {
				case in.Key.Turn > 1:
					return store.StepResult{Empty: true}, nil
				case in.Key.Step > 1:
					return store.StepResult{Final: true}, nil
				case test.early:
					finished()
				default:
					env.RegisterDelayedCallback(finished, time.Second)
				}
				return store.StepResult{Calls: []store.PlannedCall{{Index: 1, By: store.ByDelegation, Task: "t-nested", Waits: test.waits}}}, nil
			})
			env.ExecuteWorkflow(test.run, test.in)
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(steps, test.want) {
				t.Errorf("the model is called in %v, want %v", steps, test.want)
			}
		})
	}
}
