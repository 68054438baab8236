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

// TestAsksForAnswers proves that a sub-agent which waits for a task and a question learns
// from the store that the question is over, and waits for its signal while it is open.
func TestAsksForAnswers(t *testing.T) {
	const question = core.QuestionID("q-22222222")
	for _, test := range []struct {
		name  string
		open  []core.QuestionID
		waits bool // until the answer is signalled
	}{
		{"open", []core.QuestionID{question}, true},
		{"over", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts activities.Activities
			env.RegisterActivity(&acts)
			began := env.Now()
			var steps []string
			var waited time.Duration
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.ThinkInput) (store.StepResult, error) {
				steps = append(steps, fmt.Sprintf("%d.%d", in.Key.Turn, in.Key.Step))
				if len(steps) == 1 {
					return store.StepResult{Calls: []store.PlannedCall{
						{Index: 1, By: store.ByQuestion, Question: question, Waits: true}, // and it waits for a task, so it asks
						{Index: 2, By: store.ByDelegation, Task: "t-22222222", Waits: true},
					}}, nil
				}
				waited = env.Now().Sub(began)
				return store.StepResult{Final: true}, nil
			})
			env.OnActivity(acts.OpenTasks, mock.Anything, mock.Anything).Return(wire.OpenTasksResult{OpenQuestions: test.open}, nil) // the task has ended
			env.RegisterDelayedCallback(func() {
				env.SignalWorkflow(wire.SignalAnswered, wire.AnsweredSignal{Question: question})
			}, 24*time.Hour)
			env.ExecuteWorkflow(workflows.SubAgent, wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: wire.Settings{}.WithDefaults()})
			if err := env.GetWorkflowError(); err != nil || !slices.Equal(steps, []string{"1.1", "1.2"}) {
				t.Fatalf("the model is called in %v, %v", steps, err)
			}
			if test.waits != (waited >= 24*time.Hour) {
				t.Errorf("the answer is waited for %s", waited)
			}
		})
	}
}
