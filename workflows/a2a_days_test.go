package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestA2ADays proves that a task which came over A2A and asks something waits for its client
// for days, with passes of the watchdog, and is then answered into the task and completed;
// that its answer counts once; and that what nobody answers is over in the end.
func TestA2ADays(t *testing.T) {
	owner := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
	says := func(in *workflowtest.Installation, m api.A2AMessage) core.Task {
		in.T.Helper()
		task, err := ops.Do(in.T.Context(), in.House.Runner, api.ReceiveA2A, owner, m)
		if err != nil {
			in.T.Fatal(err)
		}
		in.Settle()
		return task
	}
	asks := func(in *workflowtest.Installation) core.Task {
		in.T.Helper()
		task := says(in, api.A2AMessage{ID: "m-1", Agent: "sasha", Text: do(llmtest.Use("ask_user", map[string]string{"question": "Which day?"}))})
		for range 6 {
			in.Pass(24 * time.Hour)
			in.Reconcile()
		}
		if now := in.TaskOf("sasha"); now.ID != task.ID || now.State != core.InputRequired {
			in.T.Fatalf("after six days task %s is %s", now.ID, now.State)
		}
		return task
	}
	t.Run("answered on the seventh day", func(t *testing.T) {
		workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
			task := asks(in)
			for range 2 {
				if about := says(in, api.A2AMessage{ID: "m-2", Task: task.ID, Text: "Monday"}); about.ID != task.ID {
					t.Errorf("the answer is about %s", about.ID)
				}
				in.Pass(time.Minute)
			}
			if now := in.TaskOf("sasha"); now.State != core.Completed || strings.Count(now.Result, "Monday") != 1 || !strings.Contains(now.Result, ": answered]") {
				t.Errorf("it is %s: %q", now.State, now.Result)
			}
			if n := in.Stage.Called("sasha"); n != 2 {
				t.Errorf("%d model calls were made", n)
			}
		})
	})
	t.Run("nobody answers", func(t *testing.T) {
		workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
			asks(in)
			in.Pass(2 * 24 * time.Hour)
			in.Reconcile()
			in.Pass(time.Minute)
			if now := in.TaskOf("sasha"); now.State != core.Completed || !strings.Contains(now.Result, "No answer within") {
				t.Errorf("it is %s: %q %q", now.State, now.Result, now.Error)
			}
		})
	})
}
