package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
)

// fiveOfThree sends three peers on five errands, and has them waited out.
func fiveOfThree(in *workflowtest.Installation) {
	in.T.Helper()
	in.Send(do(send("oracle", "1"), send("oracle", "2"), send("pythia", "3"), send("pythia", "4"), send("sibyl", "5")))
	in.Settle()
	giveUp(in)
	if n := len(in.Tasks()); n != 5 {
		in.T.Fatalf("there are %d errands", n)
	}
}

// requireAllReported fails unless one text, of one model call, tells all five answers.
func requireAllReported(in *workflowtest.Installation, read []string, calls int) {
	in.T.Helper()
	want := map[string]int{"said by oracle": 2, "said by pythia": 2, "said by sibyl": 1}
	if len(read) != 1 || calls != 1 {
		in.T.Fatalf("in %d model calls the person reads %q", calls, read)
	}
	for words, n := range want {
		if got := strings.Count(read[0], words); got != n {
			in.T.Errorf("%q is told %d times: %q", words, got, read[0])
		}
	}
}

// TestSeveralLateAnswers proves that what several peers say late, of several errands, is one
// turn: when they are looked at, also while a turn runs.
func TestSeveralLateAnswers(t *testing.T) {
	told := func(name string, test func(in *workflowtest.Installation, says func(...core.AgentName))) {
		t.Run(name, func(t *testing.T) {
			withPeers(t, nil, func(in *workflowtest.Installation, peers map[core.AgentName]*scriptedPeer) {
				fiveOfThree(in)
				test(in, func(names ...core.AgentName) {
					for _, name := range names {
						peers[name].says(core.PeerTask{ID: "peer-1", State: core.Completed, Text: "said by " + string(name)})
					}
				})
			})
		})
	}
	told("looked at", func(in *workflowtest.Installation, says func(...core.AgentName)) {
		says(peersOf...)
		before, calls := len(in.Read()), in.Stage.Called("nikki")
		in.Reconcile()
		in.Pass(time.Minute)
		requireAllReported(in, in.Read()[before:], in.Stage.Called("nikki")-calls)
	})
	told("looked at, while the person waits for another answer", func(in *workflowtest.Installation, says func(...core.AgentName)) {
		in.Send("wait 5m")
		says(peersOf...)
		before, calls := len(in.Read()), in.Stage.Called("nikki")
		for range peersOf {
			in.Reconcile()
			in.Pass(20 * time.Second)
		}
		in.Pass(time.Hour)
		read := in.Read()[before:]
		if len(read) != 2 || !strings.Contains(read[0], "done 5m") {
			in.T.Fatalf("the person reads %q", read)
		}
		requireAllReported(in, read[1:], in.Stage.Called("nikki")-calls)
	})
}

// TestLateAnswerNamesWhatIsSeen proves that a late answer to the task of a sub-agent names the
// task above it, for the person and for the agent: they know no other.
func TestLateAnswerNamesWhatIsSeen(t *testing.T) {
	for _, reset := range []bool{false, true} {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Send(do(send("sasha", "after asked do "+strings.TrimPrefix(do(send("oracle", "the question")), "do "))))
			in.Stage.Open("asked")
			in.Pass(10 * time.Second)
			seen, inner := in.TaskOf("sasha").ID, in.TaskOf("oracle").ID
			if err := in.CancelTask(seen, "no longer needed"); err != nil {
				t.Fatal(err)
			}
			in.Pass(time.Minute)
			if reset {
				in.Reset()
			}
			before := len(in.Read())
			peer.says(lateWords[core.LateResult])
			for range 3 {
				in.Pass(2 * time.Minute)
				in.Reconcile()
			}
			read := core.Unmarked(strings.Join(in.Read()[before:], "\n"))
			if !strings.Contains(read, string(seen)) || strings.Contains(read, string(inner)) {
				t.Errorf("the person reads %q, want %s and not %s", read, seen, inner)
			}
			if !reset && !strings.Contains(read, "for your completed sub-agent "+string(seen)+"/sasha.") {
				t.Errorf("the agent tells %q", read)
			}
			if got := recall(in, store.NotificationsPrefix+"a2a/"+string(seen)+"/result"); !strings.Contains(got, "it is 42") {
				t.Errorf("an agent finds %q", got)
			}
		})
	}
}
