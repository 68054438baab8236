package workflows_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/workflowtest"
)

// TestDuplicateEndsNoWait proves that a message which comes once more while its
// turn waits for a colleague changes nothing.
func TestDuplicateEndsNoWait(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		key, text := workflowtest.Key("main"), do(ask("sasha", "wait late"))
		in.SendWithID("id-1", text)
		before := in.Signals(string(key), wire.SignalMessage)
		in.SendWithID("id-1", text)
		if n := in.Signals(string(key), wire.SignalMessage); n != before {
			t.Errorf("the session was signalled once more")
		}
		// Another worker may have looked before the turn took the message.
		if err := in.Dispatch.WakeSession(in.T.Context(), key, 1); err != nil {
			t.Fatal(err)
		}
		in.Settle()
		if n := in.Signals(string(key), wire.SignalMessage); n != before+1 {
			t.Errorf("%d signals came, want one more than %d", n, before)
		}
		in.Reads()
		in.Stage.Open("late")
		in.Settle()
		in.Reads("done late")
		if n := in.Stage.Called("nikki"); n != 2 {
			t.Errorf("%d calls of the model for the turn, want 2", n)
		}
	})
}

// TestSignalledOnce proves that who knows of something is not signalled again and
// again while it waits: Temporal takes only so many signals for a run.
func TestSignalledOnce(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "after two "+do(send("finn", "check"), send("finn", "wait late")))))
		in.Stage.Open("two")
		in.Settle()
		ended := 0
		for _, task := range in.Tasks() {
			if task.State.Terminal() {
				ended++
			}
		}
		if ended != 1 {
			t.Fatalf("%d of %d tasks have ended, want one of three", ended, len(in.Tasks()))
		}
		in.SendTo("busy", "wait busy")
		in.SendTo("busy", "and this")
		for range 5 {
			in.Reconcile()
		}
		above := string(core.SubAgentOwner(in.TaskOf("sasha").ID, "sasha"))
		if n := in.Signals(above, wire.SignalTaskFinished); n < 1 || n > 2 {
			t.Errorf("the sub-agent was signalled %d times for one result, want once, or twice at most", n)
		}
		if n := in.Signals(string(workflowtest.Key("busy")), wire.SignalMessage); n < 2 || n > 3 {
			t.Errorf("the session was signalled %d times for two messages, want 3 times at most", n)
		}
		in.Stage.Open("late")
		in.Stage.Open("busy")
		in.Settle()
		in.ReadsIn(workflowtest.Key("busy"), "done busy", "you said and this")
		for _, task := range in.Tasks() {
			if task.State != core.Completed {
				t.Errorf("%s is %s", task.AgentList(), task.State)
			}
		}
	})
}

// TestLateSignalEndsNoWait proves that the signal of a message which a turn has taken
// already does not end the wait of that turn: the message is what it answers.
func TestLateSignalEndsNoWait(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		key := workflowtest.Key("main")
		in.Send("hello")
		first, err := in.Store.Accept(in.T.Context(), store.InboxMessage{Route: core.WebRoute("main"), Person: workflowtest.Owner,
			Role: core.MasterAdmin, MessageID: "id-2", Text: do(ask("sasha", "wait late"))})
		if err != nil {
			t.Fatal(err)
		}
		wake := func(row int64) {
			if err := in.Dispatch.WakeSession(in.T.Context(), key, row); err != nil {
				t.Fatal(err)
			}
			in.Settle()
		}
		wake(0) // for whatever there is
		wake(first.ID)
		in.Reads("you said hello") // and no more, as long as sasha works
		in.Stage.Open("late")
		in.Settle()
		if got := in.Read(); len(got) != 2 || !strings.Contains(got[1], "sasha: completed") {
			t.Errorf("the person reads %q, want the report as the answer of the turn", got)
		}
		if n := in.Stage.Called("nikki"); n != 3 {
			t.Errorf("%d calls of the model for two turns, want 3", n)
		}
	})
}
