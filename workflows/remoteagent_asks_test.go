package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// TestPeerAsks proves that what a peer asks is a question to the person, for however long
// that takes: shown once, answered from the chat, and that the peer has the answer once, in
// its own task, and goes on.
func TestPeerAsks(t *testing.T) {
	t.Parallel()
	working := core.PeerTask{ID: "peer-1", Context: "c-1", State: core.Working}
	which := core.PeerTask{ID: "peer-1", Context: "c-1", State: core.InputRequired, Text: "Which day?", Word: "1"}
	login := core.PeerTask{ID: "peer-1", Context: "c-1", State: core.Working, Login: true, Text: "Log in at example.org.", Word: "1"}
	for _, test := range []struct {
		name  string
		waits core.PeerTask
		does  func(in *workflowtest.Installation, peer *scriptedPeer)
		sent  []string // what the peer is answered
		state core.TaskState
	}{
		{"answered by a command", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			in.Command("/answer " + string(question(in).ID) + " Monday")
		}, []string{"Monday"}, core.Completed},
		{"answered after six days", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			in.Pass(6 * 24 * time.Hour)
			in.Command("/answer " + string(question(in).ID) + " Monday")
			in.Pass(2 * 24 * time.Hour) // it has its time anew
		}, []string{"Monday"}, core.Completed},
		{"told twice that there is an answer", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			q := question(in)
			in.Command("/answer " + string(q.ID) + " Monday")
			if err := in.Signal(string(q.Call.Owner), wire.SignalAnswered, wire.AnsweredSignal{Question: q.ID}); err != nil {
				t.Error(err)
			}
		}, []string{"Monday"}, core.Completed},
		{"answered, and slow to take it", which, func(in *workflowtest.Installation, peer *scriptedPeer) {
			peer.slow = time.Minute
			in.Command("/answer " + string(question(in).ID) + " Monday")
		}, []string{"Monday"}, core.Completed},
		{"declined", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			in.Command("/decline " + string(question(in).ID))
		}, []string{"(The user declined to answer. Continue without the answer, or say what is impossible without it.)"}, core.Completed},
		{"nobody answers", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			in.Pass(8 * 24 * time.Hour)
			in.Reconcile()
		}, []string{`(No answer within 7 d. This is neither yes nor no. Do not do what needs a yes.)`}, core.Completed},
		{"goes on by itself", which, func(in *workflowtest.Installation, peer *scriptedPeer) {
			peer.mu.Lock()
			defer peer.mu.Unlock()
			peer.waits = core.PeerTask{}
		}, nil, core.Completed},
		{"canceled meanwhile", which, func(in *workflowtest.Installation, _ *scriptedPeer) {
			if err := in.CancelTask(in.TaskOf("oracle").ID, "no longer needed"); err != nil {
				t.Error(err)
			}
		}, nil, core.Canceled},
		{"somebody logs in there", login, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Pass(24 * time.Hour)
			peer.mu.Lock()
			defer peer.mu.Unlock()
			peer.waits = core.PeerTask{}
		}, nil, core.Completed},
	} {
		if testing.Short() && slices.Contains([]string{"nobody answers", "answered after six days"}, test.name) {
			continue // thousands of looks
		}
		t.Run(test.name, func(t *testing.T) {
			began := time.Time{}
			peer := &scriptedPeer{waits: test.waits}
			peer.looks = func(age time.Duration) (core.PeerTask, error) {
				if began.IsZero() {
					began = time.Now()
				}
				if time.Since(began) < 10*time.Minute {
					return working, nil
				}
				return core.PeerTask{ID: "peer-1", State: core.Completed, Text: "42"}, nil
			}
			roster, err := agents.New("nikki", []agents.Agent{
				{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}},
				{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
			}, agents.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			workflowtest.Run(t, workflowtest.Options{Roster: roster, Peers: map[core.AgentName]activities.Peer{"oracle": peer}}, func(in *workflowtest.Installation) {
				in.Send(do(send("oracle", "the question")))
				in.Pass(time.Minute)
				if state := in.TaskOf("oracle").State; (state == core.InputRequired) == test.waits.Login {
					t.Errorf("the task is %s", state)
				}
				asked := func() (n int) {
					for _, read := range in.Read() {
						if strings.Contains(read, test.waits.Text) && strings.Contains(read, string(in.TaskOf("oracle").ID)) {
							n++
						}
					}
					return n
				}
				if n := asked(); n != 1 {
					t.Errorf("it is shown %d times: %q", n, in.Read())
				}
				test.does(in, peer)
				in.Pass(time.Hour)
				task := in.TaskOf("oracle")
				if task.State != test.state || task.State == core.Completed && task.Result != "42" {
					t.Errorf("it ends as %s with %q", task.State, task.Result+task.Error)
				}
				if len(peer.answers) != len(test.sent) {
					t.Fatalf("the peer is answered %q", peer.answers)
				}
				for i, want := range test.sent {
					if !strings.HasSuffix(peer.answers[i], " c-1 "+want) {
						t.Errorf("the peer is answered %q, want %q", peer.answers[i], want)
					}
				}
				if open, err := servicetest.Questions(in.T.Context(), in.House.Service, owner, api.ListQuestionsInput{}); err != nil || len(open) > 0 {
					t.Errorf("%+v is open still, %v", open, err)
				}
			})
		})
	}
}
