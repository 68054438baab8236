package workflows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/sdk/v1"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/test/workflowtest"
)

// TestDetails proves what Temporal's Web UI shows of a turn that waits: for which task
// it does, and which others are open.
func TestDetails(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("finn", "wait 3h"), ask("sasha", do(ask("priest", "wait 50s")))))
		in.Pass(time.Second)
		finn, sasha, priest := in.TaskOf("finn").ID, in.TaskOf("sasha").ID, in.TaskOf("priest").ID
		requireDetails(t, in, string(workflowtest.Key("main")), "turn 1, step 1", "`"+string(finn)+"`,", "`"+string(sasha)+"` (waits for it)")
		requireDetails(t, in, string(core.SubAgentOwner(sasha, "sasha")), "on task `"+string(sasha)+"`", "`"+string(priest)+"` (waits for it)")
		in.Pass(time.Minute)
		requireDetails(t, in, string(workflowtest.Key("main")), "idle", "open tasks: `"+string(finn)+"`\n")
	})
}

// TestWaitingState proves that Temporal shows of a task whether it waits for its person, also
// if a signal was lost, and that the end of the task is what it shows last.
func TestWaitingState(t *testing.T) {
	lost := errors.New("lost")
	var broken bool
	o := workflowtest.Options{Activities: func(d *activities.Deps) { d.Sessions = stateless{d.Sessions, &broken, lost} }}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		broken = true
		in.Send(do(send("sasha", do(asks("Which day?")))))
		in.Settle()
		task := in.TaskOf("sasha").ID
		requireDetails(t, in, string(task), "working")
		broken = false
		in.Stage.Plays("sasha", do(asks("Which week?")), "after said done")
		in.Command("/answer " + string(question(in).ID) + " Monday")
		in.Settle()
		requireDetails(t, in, string(task), "input_required")
		in.Command("/answer " + string(question(in).ID) + " 7")
		in.Settle()
		requireDetails(t, in, string(task), "working")
		in.Stage.Open("said")
		in.Pass(time.Minute)
		if got := in.TaskOf("sasha").State; got != core.Completed {
			t.Errorf("the task is %s", got)
		}
	})
}

// A stateless loses what Temporal is to show of a task while it is broken.
type stateless struct {
	activities.Sessions
	broken *bool
	err    error
}

func (s stateless) ShowTaskState(ctx context.Context, id core.TaskID) error {
	if *s.broken {
		return s.err
	}
	return s.Sessions.ShowTaskState(ctx, id)
}

func requireDetails(t *testing.T, in *workflowtest.Installation, id string, want ...string) {
	t.Helper()
	var shown sdk.WorkflowMetadata
	if err := in.Query(id, "__temporal_workflow_metadata", &shown); err != nil {
		t.Fatal(err)
	}
	for _, part := range want {
		if !strings.Contains(shown.GetCurrentDetails(), part) {
			t.Errorf("the details of %s are %q, without %q", id, shown.GetCurrentDetails(), part)
		}
	}
}
