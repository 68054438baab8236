package workflows_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
	"errand/internal/store"
	"errand/workflows"
)

// TestOlderWorkerKnowsNoQuestions proves that a sub-agent which asks the store after what it
// waits for goes on waiting for an answer where a worker of an older version has looked, who
// says nothing of questions; and that runs from before end that wait, as they did.
func TestOlderWorkerKnowsNoQuestions(t *testing.T) {
	const question = errand.QuestionID("q-22222222")
	for _, test := range []struct {
		name    string
		says    activities.OpenTasksResult
		version workflow.Version
		waits   bool // until the answer is signalled
	}{
		{"an older worker", activities.OpenTasksResult{}, 1, true},
		{"an older worker, in a run from before", activities.OpenTasksResult{}, workflow.DefaultVersion, false},
		{"this one, while it is open", activities.OpenTasksResult{Asked: true, OpenQuestions: []errand.QuestionID{question}}, 1, true},
		{"this one, when it is over", activities.OpenTasksResult{Asked: true}, 1, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts *activities.Activities
			env.RegisterActivity(acts)
			env.OnGetVersion("asked", workflow.DefaultVersion, workflow.Version(1)).Return(test.version)
			env.OnGetVersion("bounded", workflow.DefaultVersion, workflow.Version(1)).Return(workflow.Version(1))
			began := env.Now()
			var steps []string
			var waited time.Duration
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.ThinkInput) (store.StepResult, error) {
				steps = append(steps, fmt.Sprintf("%d.%d", in.Key.Turn, in.Key.Step))
				if len(steps) == 1 {
					return store.StepResult{Calls: []store.PlannedCall{
						{Index: 1, By: store.ByQuestion, Question: question, Waits: true}, // and it waits for a task, so it asks
						{Index: 2, By: store.ByDelegation, Task: "t-22222222", Started: true, Waits: true},
					}}, nil
				}
				waited = env.Now().Sub(began)
				return store.StepResult{Final: true}, nil
			})
			env.OnActivity(acts.OpenTasks, mock.Anything, mock.Anything).Return(test.says, nil) // the task has ended
			env.RegisterDelayedCallback(func() {
				env.SignalWorkflow(workflows.SignalAnswered, workflows.AnsweredSignal{Question: question})
			}, 24*time.Hour)
			env.ExecuteWorkflow(workflows.SubAgent, workflows.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: workflows.Settings{}.WithDefaults()})
			if err := env.GetWorkflowError(); err != nil || !slices.Equal(steps, []string{"1.1", "1.2"}) {
				t.Fatalf("the model is called in %v, %v", steps, err)
			}
			if test.waits != (waited >= 24*time.Hour) {
				t.Errorf("the answer is waited for %s", waited)
			}
		})
	}
}
