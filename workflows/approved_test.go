package workflows_test

import (
	"context"
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

// TestWhoRunsApproved proves that RunApproved carries out a call that waited for an
// approval, and that nothing does if a signal, the step or the store says that it was refused.
func TestWhoRunsApproved(t *testing.T) {
	const question = core.QuestionID("q-22222222")
	tests := []struct {
		name   string
		signal wire.AnsweredSignal // empty: the store is asked
		ended  store.PlannedCall   // where the step knows it already
		asks   bool
		asked  wire.OpenTasksResult
		want   []string
	}{
		{name: "answered", signal: wire.AnsweredSignal{Question: question}, want: []string{"approved"}},
		{name: "declined", signal: wire.AnsweredSignal{Question: question, Refused: true}},
		{name: "answered before the step was heard of", ended: store.PlannedCall{Ended: true}, want: []string{"approved"}},
		{name: "expired before the step was heard of", ended: store.PlannedCall{Ended: true, Refused: true}},
		{name: "answered, and the signal was lost", asks: true, want: []string{"approved"}},
		{name: "declined, and the signal was lost", asks: true, asked: wire.OpenTasksResult{Refused: []core.QuestionID{question}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts activities.Activities
			env.RegisterActivity(&acts)
			steps := 0
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(context.Context, wire.ThinkInput) (store.StepResult, error) {
				if steps++; steps > 1 {
					return store.StepResult{Final: true}, nil
				}
				call := store.PlannedCall{Index: 1, By: store.ByApproval, Tool: "pay", Question: question, Waits: true, Ended: test.ended.Ended, Refused: test.ended.Refused}
				calls := []store.PlannedCall{call}
				if test.asks { // for a task the store is asked from time to time
					calls = append(calls, store.PlannedCall{Index: 2, By: store.ByDelegation, Task: "t-22222222", Waits: true})
				}
				return store.StepResult{Calls: calls}, nil
			})
			env.OnActivity(acts.OpenTasks, mock.Anything, mock.Anything).Return(test.asked, nil)
			var ran []string
			runs := func(name string) func(context.Context, wire.ToolInput) error {
				return func(_ context.Context, in wire.ToolInput) error {
					if in.Question != question {
						t.Errorf("the approval is %q", in.Question)
					}
					ran = append(ran, name)
					return nil
				}
			}
			env.OnActivity(acts.Tool, mock.Anything, mock.Anything).Return(runs("tool"))
			env.OnActivity(acts.RunApproved, mock.Anything, mock.Anything).Return(runs("approved"))
			if test.signal.Question != "" {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.SignalAnswered, test.signal) }, time.Minute)
			}
			env.ExecuteWorkflow(workflows.SubAgent, wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: wire.Settings{}.WithDefaults()})
			if err := env.GetWorkflowError(); err != nil || steps != 2 || !slices.Equal(ran, test.want) {
				t.Errorf("%q ran it in %d steps, %v; want %q", ran, steps, err, test.want)
			}
		})
	}
}
