package workflows_test

import (
	"strings"
	"testing"
	"time"

	"go.temporal.io/api/sdk/v1"

	"errand"
	"errand/workflows/workflowtest"
)

// TestDetails proves what Temporal's Web UI shows of a turn that waits: for which task
// it does, and which others are open.
func TestDetails(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("finn", "wait 3h"), ask("sasha", do(ask("priest", "wait 50s")))))
		in.Pass(time.Second)
		finn, sasha, priest := in.TaskOf("finn").ID, in.TaskOf("sasha").ID, in.TaskOf("priest").ID
		requireDetails(t, in, string(workflowtest.Key("main")), "turn 1, step 1", "`"+string(finn)+"`,", "`"+string(sasha)+"` (waits for it)")
		requireDetails(t, in, string(errand.SubAgentOwner(sasha, "sasha")), "on task `"+string(sasha)+"`", "`"+string(priest)+"` (waits for it)")
		in.Pass(time.Minute)
		requireDetails(t, in, string(workflowtest.Key("main")), "idle", "open tasks: `"+string(finn)+"`\n")
	})
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
