package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// A joining is a sub-agent that delegates in its first step, over steps that are
// written down.
type joining struct {
	*testsuite.TestWorkflowEnvironment
	steps []string // turn and step of each call of the model
	asked int      // how often the store was
}

// join makes a joining. nested tasks never signal their outcome; the store knows it
// when it is asked for the nth time.
func join(steps map[string]store.StepResult, nth int) *joining {
	var suite testsuite.WorkflowTestSuite
	j := &joining{TestWorkflowEnvironment: suite.NewTestWorkflowEnvironment()}
	var acts activities.Activities
	j.RegisterActivity(&acts)
	j.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.ThinkInput) (store.StepResult, error) {
		step := fmt.Sprintf("%d.%d", in.Key.Turn, in.Key.Step)
		j.steps = append(j.steps, step)
		if out, ok := steps[step]; ok {
			return out, nil
		}
		return store.StepResult{Empty: true}, nil
	})
	j.OnActivity(acts.OpenTasks, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.OpenTasksInput) (wire.OpenTasksResult, error) {
		if j.asked++; j.asked < nth {
			return wire.OpenTasksResult{Open: in.Tasks}, nil
		}
		return wire.OpenTasksResult{}, nil
	})
	return j
}

func (j *joining) run(t *testing.T, want ...string) {
	t.Helper()
	j.ExecuteWorkflow(workflows.SubAgent, wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: wire.Settings{}.WithDefaults()})
	if !j.IsWorkflowCompleted() {
		t.Fatal("the sub-agent waits for good")
	}
	if !slices.Equal(j.steps, want) {
		t.Errorf("the model is called in %v, want %v", j.steps, want)
	}
}

func delegates(waits bool) store.StepResult {
	return store.StepResult{Calls: []store.PlannedCall{{Index: 1, By: store.ByDelegation, Task: "t-nested", Waits: waits}}}
}

// TestJoinsWithoutSignal proves that a sub-agent whose signal was lost learns the
// outcome from the store, whether its turn waits for it or its end.
func TestJoinsWithoutSignal(t *testing.T) {
	for _, test := range []struct {
		name  string
		waits bool
		want  []string
	}{
		{"sent off", false, []string{"1.1", "1.2", "2.1"}},
		{"waited for", true, []string{"1.1", "1.2"}}, // which is given it
	} {
		t.Run(test.name, func(t *testing.T) {
			j := join(map[string]store.StepResult{"1.1": delegates(test.waits), "1.2": {Final: true}}, 3)
			j.run(t, test.want...)
			if err := j.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			if j.asked != 3 {
				t.Errorf("the store was asked %d times, want until it knew: 3", j.asked)
			}
		})
	}
}

// TestReadsAllResults proves that a sub-agent takes another turn after one that
// took as many results as a turn can.
func TestReadsAllResults(t *testing.T) {
	full := store.StepResult{Final: true, Claims: store.MaxClaimed}
	j := join(map[string]store.StepResult{"1.1": delegates(false), "1.2": {Final: true}, "2.1": full, "3.1": {Final: true, Claims: 14}}, 1)
	j.run(t, "1.1", "1.2", "2.1", "3.1")
	if err := j.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
}

// TestSubAgentContinues proves that a sub-agent which waits for long goes on in a
// new run, and forgets nothing.
func TestSubAgentContinues(t *testing.T) {
	j := join(map[string]store.StepResult{"1.1": delegates(false), "1.2": {Final: true, Tokens: 7}}, 100)
	j.SetContinueAsNewSuggested(true)
	j.run(t, "1.1", "1.2")
	var next *workflow.ContinueAsNewError
	if !errors.As(j.GetWorkflowError(), &next) {
		t.Fatalf("it ended with %v, want a new run", j.GetWorkflowError())
	}
	var in wire.SubAgentInput
	if err := converter.GetDefaultDataConverter().FromPayloads(next.Input, &in); err != nil {
		t.Fatal(err)
	}

	again := join(map[string]store.StepResult{"2.1": {Final: true, Tokens: 5}}, 2)
	again.ExecuteWorkflow(workflows.SubAgent, in)
	if err := again.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(again.steps, []string{"2.1"}) {
		t.Errorf("the model is called in %v, want the turn that reads the result", again.steps)
	}
	var out wire.SubAgentResult
	if err := again.GetWorkflowResult(&out); err != nil {
		t.Fatal(err)
	}
	if want := (wire.SubAgentResult{State: core.Completed, Turns: 2, Tokens: 12}); out != want {
		t.Errorf("it ends with %+v, want %+v", out, want)
	}
}
