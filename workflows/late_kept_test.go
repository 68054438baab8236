package workflows_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestLateAnswerForSpecialist proves that whoever leads a session reads what came late by its
// keys, though another agent has sent for it.
func TestLateAnswerForSpecialist(t *testing.T) {
	withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
		task := waitedOut(in)
		in.Send(do(llmtest.Use("transfer_to_agent", map[string]string{"agent": "sasha"})))
		peer.says(lateWords[core.LateResult])
		in.Reconcile()
		in.Pass(time.Minute)
		asks := func(key string) string {
			before := in.Stage.Called("sasha")
			in.Send(do(llmtest.Use("recall", map[string]string{"key": key})))
			if in.Stage.Called("sasha") == before {
				t.Error("another agent leads the session")
			}
			read := in.Read()
			return read[len(read)-1]
		}
		key := store.NotificationsPrefix + "a2a/" + string(task.ID) + "/result"
		if read := asks(store.NotificationsPrefix + "index"); !strings.Contains(read, key) {
			t.Errorf("the index is %q", read)
		}
		if read := asks(key); !strings.Contains(read, "it is 42") || !strings.Contains(read, "arrived from oracle") {
			t.Errorf("under %s is %q", key, read)
		}
	})
}

var wholeResult = regexp.MustCompile(`The whole result is the file (a-\w+): continue with read_artifact from offset (\d+)`)

// TestLongLateAnswer proves that of a late answer which is longer than a transcript has room
// for, the turn is given the beginning and the end, the rest is a file that its agent reads,
// and the whole of it is kept: as a result, and as what has failed.
func TestLongLateAnswer(t *testing.T) {
	for kind, state := range map[core.LateKind]core.TaskState{core.LateResult: core.Completed, core.LateError: core.Failed} {
		t.Run(string(kind), func(t *testing.T) {
			withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
				task := waitedOut(in)
				long := "beginning " + strings.Repeat("words ", 10_000) + "middle " + strings.Repeat("words ", 5_000) + "end"
				peer.says(core.PeerTask{ID: "peer-1", State: state, Text: long})
				in.Reconcile()
				in.Pass(time.Minute)
				folded := func() string {
					messages := in.LastPrompt("nikki").Messages
					return messages[len(messages)-1].Text
				}
				told := folded()
				if n := len(told); n > 21_000 || n < 19_000 || !strings.Contains(told, "beginning") || strings.Contains(told, "middle") || !strings.Contains(told, "end") {
					t.Fatalf("the turn is given %d characters: %.60q … %q", n, told, told[max(0, n-60):])
				}
				file := wholeResult.FindStringSubmatch(told)
				if file == nil {
					t.Fatal("no file is named")
				}
				in.Send(do(llmtest.Use("read_artifact", map[string]string{"id": file[1]})))
				if read := folded(); !strings.HasPrefix(core.Unmarked(read), "beginning words") && !strings.Contains(read, "beginning words") {
					t.Errorf("the file begins with %.80q", read)
				}
				list, err := in.Store.Tasks(in.T.Context(), store.TaskFilter{LateOf: task.ID})
				if err != nil || len(list) != 1 || list[0].LateText() != long {
					t.Errorf("kept are %d late answers, %v", len(list), err)
				}
				in.Send(do(llmtest.Use("recall", map[string]string{"key": store.NotificationsPrefix + "a2a/" + string(task.ID) + "/" + string(kind)})))
				if read := folded(); len(read) > 21_000 || wholeResult.FindString(read) == "" {
					t.Errorf("recalled are %d characters, without a file: %.80q", len(read), read)
				}
			})
		})
	}
}

// TestLostLateAnswer proves that a late answer whose words are gone is told as that, by the
// turn or, after /reset, in errand's own words; and that there is no turn about nothing.
func TestLostLateAnswer(t *testing.T) {
	for kind, told := range lateWords {
		if kind == core.LateStatus {
			continue // a peer that is at work and says nothing has said nothing
		}
		told.Text = ""
		t.Run(string(kind), func(t *testing.T) {
			withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
				waitedOut(in)
				before := in.Stage.Called("nikki")
				peer.says(told)
				for range 2 {
					in.Reconcile()
					in.Pass(2 * time.Hour)
				}
				in.Reads(atWork, "has not answered", "Tell the user that a late "+string(kind)+" from oracle arrived and is lost")
				if n := in.Stage.Called("nikki") - before; n != 1 {
					t.Errorf("it is told in %d model calls", n)
				}
			})
		})
		t.Run(string(kind)+", after /reset", func(t *testing.T) {
			withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
				task := waitedOut(in)
				in.Reset()
				read, before := len(in.Read()), in.Stage.Called("nikki")
				peer.says(told)
				for range 2 {
					in.Reconcile()
					in.Pass(2 * time.Hour)
				}
				want := "Oracle sent something late (" + string(kind) + ") for your task " + string(task.ID)
				if got := in.Read()[read:]; len(got) != 1 || !strings.Contains(got[0], want) || in.Stage.Called("nikki") != before {
					t.Errorf("the person reads %q, want %q; %d model calls", got, want, in.Stage.Called("nikki")-before)
				}
			})
		})
	}
}
