package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// begin begins the workflow of a chat with settings of its own, and returns the key
// of the conversation.
func (in *installation) begin(chat string, change func(*wire.Settings)) core.SessionKey {
	in.t.Helper()
	settings := wire.Settings{}.WithDefaults()
	settings.Attributes = true
	quick(&settings)
	change(&settings)
	key := webKey(chat)
	_, err := in.Client.ExecuteWorkflow(in.t.Context(), client.StartWorkflowOptions{ID: string(key), TaskQueue: wire.TaskQueue},
		workflows.Session, wire.SessionInput{Store: in.Store.ID(), Key: key, Settings: settings})
	if err != nil {
		in.t.Fatal(err)
	}
	return key
}

func everyTurnARun(s *wire.Settings) { s.TurnsPerRun = 1 }

// continued proves that a session loses nothing when its workflow begins a new run
// after every turn.
func (in *installation) continued(t *testing.T, s *stage) {
	in = in.of(t)
	key := in.begin("continued", everyTurnARun)
	in.send("continued", do(send("sasha", "wait continued")))
	in.until(key, replies(1))
	for i := range 5 {
		in.send("continued", fmt.Sprintf("m%d", i))
	}
	s.open("continued")
	for i := range 5 {
		in.until(key, hasText(fmt.Sprintf("m%d", i)))
	}
	for i := range 2 { // a burst may be one turn; each of these is one, in a run of its own
		in.atRest(string(key))
		in.send("continued", fmt.Sprintf("next %d", i))
		in.until(key, hasText(fmt.Sprintf("you said next %d", i)))
	}
	got := textsOf(in.until(key, hasText("done continued")))
	if all := strings.Join(got, "\n"); strings.Count(all, "done continued") != 1 || strings.Count(all, " m4") != 1 {
		t.Errorf("the person reads %q", got)
	}
	in.atRest(string(key))
	if runs := len(in.histories(string(key))); runs < 3 {
		t.Errorf("%d runs, want one for each turn", runs)
	}
}

// busyRuns proves that a session which always has something to do continues as new
// all the same.
func (in *installation) busyRuns(t *testing.T, s *stage) {
	in = in.of(t)
	key := in.begin("busy", everyTurnARun)
	in.command("busy", "/busy queue")
	in.send("busy", "wait busy")
	s.asked(t, "wait busy")
	in.send("busy", "second")
	in.send("busy", "third")
	s.open("busy")
	got := textsOf(in.until(key, replies(3)))
	if want := []string{"done busy", "you said second", "you said third"}; !slices.Equal(got, want) {
		t.Errorf("the person reads %q, want %q", got, want)
	}
	in.atRest(string(key))
	if runs := len(in.histories(string(key))); runs < 3 {
		t.Errorf("%d runs for 3 turns, want one for each", runs)
	}
}

// placement proves that a workflow is on the queue of its steps: only so the first of them
// comes with the answer to its workflow task.
func (in *installation) placement(t *testing.T, _ *stage) {
	in = in.of(t)
	key := in.send("placement", do(ask("sasha", "trains")))
	in.until(key, replies(1))
	subAgent := string(core.SubAgentOwner(in.tasks("placement")[0].ID, "sasha"))
	for id, want := range map[string]string{string(key): wire.TurnQueue, subAgent: wire.SubAgentQueue} {
		begun := in.history(t.Context(), id, "").GetEvents()[0].GetWorkflowExecutionStartedEventAttributes()
		if got := begun.GetTaskQueue().GetName(); got != want || in.queueOf(id, "Think") != want {
			t.Errorf("%s is on %q, its steps on %q, want %q", id, got, in.queueOf(id, "Think"), want)
		}
	}
}

func (in *installation) queueOf(id, activity string) (queue string) {
	in.t.Helper()
	for _, e := range in.history(in.t.Context(), id, "").GetEvents() {
		if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == activity {
			queue = a.GetTaskQueue().GetName()
		}
	}
	return queue
}

// closes proves that Temporal's own filters find tasks by how they have ended, that its list
// has their titles, and that it finds those that wait for a person.
func (in *installation) closes(t *testing.T, s *stage) {
	in = in.of(t)
	key := in.send("closes", do(send("sasha", "trains to Oslo")))
	in.until(key, replies(1))
	completed := in.ended(in.tasks("closes")[0].ID).ID
	in.send("closes", do(send("sasha", "fail")))
	failed := in.ended(in.awaitTasks("closes", 2)[0].ID).ID
	in.send("closes", do(send("sasha", asksDay())))
	waiting := in.awaitTasks("closes", 3)[0].ID
	in.openQuestion("closes")
	in.send("closes", do(send("sasha", "wait for ever and ever")))
	canceled := in.awaitTasks("closes", 4)[0].ID
	s.asked(t, "wait for ever and ever")
	if err := in.Client.SignalWorkflow(t.Context(), string(canceled), "", wire.SignalCancel, map[string]string{"reason": "no longer needed"}); err != nil {
		t.Fatal(err)
	}
	if why := in.ended(canceled).Error; !strings.Contains(why, "no longer needed") {
		t.Errorf("the reason of the cancellation is %q", why)
	}
	for _, test := range []struct {
		query string
		id    core.TaskID
	}{
		{`ExecutionStatus = "Completed" AND ErrandState = "completed"`, completed}, {`ExecutionStatus = "Failed" AND ErrandState = "failed"`, failed},
		{`ExecutionStatus = "Canceled" AND ErrandState = "canceled"`, canceled}, {`ExecutionStatus = "Running" AND ErrandState = "input_required"`, waiting},
		{`ErrandTitle = "trains to Oslo"`, completed},
	} {
		query := fmt.Sprintf(`WorkflowType = "Delegation" AND WorkflowId = "%s" AND %s`, test.id, test.query)
		eventually(t, query, func() bool {
			list, err := in.Client.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{Query: query})
			return err == nil && len(list.GetExecutions()) == 1
		})
	}
}
