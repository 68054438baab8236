package workflows_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// The kinds of what a peer may say late, as it says them.
var lateWords = map[core.LateKind]core.PeerTask{
	core.LateResult:        {ID: "peer-1", State: core.Completed, Text: "it is 42"},
	core.LateStatus:        {ID: "peer-1", State: core.Working, Text: "half of it", Word: "half"},
	core.LateError:         {ID: "peer-1", State: core.Failed, Text: "The peer has failed: no paper"},
	core.LateInputRequired: {ID: "peer-1", State: core.InputRequired, Text: "Which day?", Word: "day"},
}

// peersOf are the remote agents that tests have; most have the first alone.
var peersOf = []core.AgentName{"oracle", "pythia", "sibyl"}

// withPeer runs a test on an installation with a peer, which is at work until it is to say
// something.
func withPeer(t *testing.T, test func(*workflowtest.Installation, *scriptedPeer)) {
	t.Helper()
	withPeers(t, nil, func(in *workflowtest.Installation, peers map[core.AgentName]*scriptedPeer) {
		test(in, peers["oracle"])
	})
}

// withPeers is withPeer of several, whose worker k kills; nil: nothing does.
func withPeers(t *testing.T, k *killer, test func(*workflowtest.Installation, map[core.AgentName]*scriptedPeer)) {
	t.Helper()
	cast := []agents.Agent{
		{Name: "nikki", Instructions: "I am nikki.", Delegates: append([]core.AgentName{"sasha"}, peersOf...)},
		{Name: "sasha", Instructions: "I am sasha.", Delegates: peersOf[:1]},
	}
	for _, name := range peersOf {
		cast = append(cast, agents.Agent{Name: name, Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true})
	}
	roster, err := agents.New("nikki", cast, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	peers, remote := map[core.AgentName]*scriptedPeer{}, map[core.AgentName]activities.Peer{}
	for _, name := range peersOf {
		peers[name] = &scriptedPeer{looks: func(time.Duration) (core.PeerTask, error) {
			return core.PeerTask{ID: "peer-1", State: core.Working}, nil
		}}
		remote[name] = &killedPeer{peers[name], k}
	}
	workflowtest.Run(t, workflowtest.Options{Roster: roster, House: func(d *intaketest.Deps) { d.Points = k.inService },
		Peers: remote, Activities: func(d *activities.Deps) { d.Probe = k.inActivity }},
		func(in *workflowtest.Installation) { test(in, peers) })
}

func (p *scriptedPeer) says(told core.PeerTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waits = told
}

func waitedOut(in *workflowtest.Installation) core.Task {
	in.T.Helper()
	in.Send(do(send("oracle", "the question")))
	in.Settle()
	giveUp(in)
	task := in.TaskOf("oracle")
	in.Reads(atWork, "has not answered")
	return task
}

// giveUp ends the wait for peers as its time does, which takes a week: a second for each
// test, of which there are many. TestRemoteAgent lets that time pass, and so does one of these.
func giveUp(in *workflowtest.Installation) {
	in.T.Helper()
	for _, task := range in.Tasks() {
		if agent := task.Agents[0]; slices.Contains(peersOf, agent) && !task.State.Terminal() {
			if _, err := in.Store.GiveUpPeer(in.T.Context(), task.ID, agent, core.PeerTask{ID: "peer-1", State: core.Working}, agent.Display()+" has not answered"); err != nil {
				in.T.Fatal(err)
			}
		}
	}
	in.Pass(10 * time.Minute)
	if task := in.TaskOf("oracle"); task.State != core.Failed {
		in.T.Errorf("what was given up is %s", task.State)
	}
}

func count(texts []string, words string) (n int) {
	for _, text := range texts {
		if strings.Contains(text, words) {
			n++
		}
	}
	return n
}

// keptOnce fails unless one late answer of a kind is kept, and an agent finds it; silently:
// and nobody has been told.
func keptOnce(in *workflowtest.Installation, of core.TaskID, kind core.LateKind, silently bool) {
	in.T.Helper()
	list, err := in.Store.Tasks(in.T.Context(), store.TaskFilter{LateOf: of, Kind: kind})
	if err != nil || len(list) != 1 || list[0].LateText() != lateWords[kind].Text || (list[0].Way == core.WayNone) != silently || list[0].Way == core.WayUndecided {
		in.T.Errorf("kept of the late %s is %+v, %v", kind, list, err)
	}
	if !silently {
		return
	}
	for key, want := range map[string]string{"a2a/" + string(of) + "/" + string(kind): lateWords[kind].Text, "index": "a2a/" + string(of) + "/" + string(kind)} {
		if read := recall(in, store.NotificationsPrefix+key); !strings.Contains(read, want) {
			in.T.Errorf("an agent finds under %s: %q", key, read)
		}
	}
}

func recall(in *workflowtest.Installation, key string) string {
	in.T.Helper()
	in.SendTo("other", do(llmtest.Use("recall", map[string]string{"key": key})))
	read := in.ReadIn(workflowtest.Key("other"))
	return read[len(read)-1]
}

// TestLateAnswers proves what the person reads of what a peer says, how often and where: for
// as long as the sub-agent waits, after it was waited out, and after it was canceled;
// while a turn of the session runs, when the session has been suspended, and when it is
// over. How far a peer is with what was canceled is kept, and read by nobody who does not ask.
// TestLateAnswersKilled proves the same of a process that is killed on the way.
func TestLateAnswers(t *testing.T) {
	t.Parallel()
	const waits, ended, canceled = "waits", "was waited out", "was canceled"
	const running, suspended, reset = "a turn runs", "suspended", "reset"
	for kind, told := range lateWords {
		for _, sub := range []string{waits, ended, canceled} {
			for _, session := range []string{running, suspended, reset} {
				t.Run(string(kind)+", the sub-agent "+sub+", session "+session, func(t *testing.T) {
					withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
						in.Send(do(send("oracle", "the question")))
						in.Pass(10 * time.Minute)
						switch sub {
						case ended:
							giveUp(in)
						case canceled:
							if err := in.CancelTask(in.TaskOf("oracle").ID, "no longer needed"); err != nil {
								t.Fatal(err)
							}
						}
						in.Pass(time.Hour)
						task, busy := in.TaskOf("oracle"), 0
						switch session {
						case running:
							in.Send("wait 5m")
							busy = 1
						case suspended:
							in.Pass(3 * time.Hour)
							if in.IsRunning(string(workflowtest.Key("main"))) && sub != waits {
								t.Error("the session is not suspended")
							}
						case reset:
							in.Reset()
						}
						before := len(in.Read())
						peer.says(told)
						for range 3 {
							in.Pass(2 * time.Minute)
							in.Reconcile()
						}
						if sub != waits {
							in.Pass(3 * time.Hour)
							in.Reconcile()
						}
						want := 1
						if kind == core.LateStatus && sub != ended {
							want = 0
						}
						if sub != waits {
							keptOnce(in, task.ID, kind, want == 0)
						}
						read := in.Read()[before:]
						if n := count(read, told.Text); n != want || len(read) != want+busy {
							t.Fatalf("the person reads it %d times, want %d: %q", n, want, read)
						}
						if want == 0 {
							return
						}
						opening, fold := "a late "+string(kind)+" arrived from oracle for your completed sub-agent "+string(task.ID)+"/oracle", 1
						switch {
						case sub == waits:
							fold = 0
						case session == reset:
							fold = 0
							if count(read, "A late ") != 1 || count(read, "arrived from Oracle for your task "+string(task.ID)) != 1 && kind != core.LateStatus {
								t.Errorf("the notification is %q", read)
							}
						}
						if n := count(read, opening); n != fold {
							t.Errorf("%d times it is told as a late %s: %q", n, kind, read)
						}
						if now := in.TaskOf("oracle"); sub != waits && (now.State != task.State || now.Result+now.Error != task.Result+task.Error) {
							t.Errorf("the end of the task is another: %s, %q", now.State, now.Result+now.Error)
						}
					})
				})
			}
		}
	}
}

// TestLateAnswerOnce proves that a late answer is told once, whatever is killed on the way
// and however often it comes; that what comes at once is one turn; and that it is kept
// where agents find it.
func TestLateAnswerOnce(t *testing.T) {
	result := lateWords[core.LateResult]
	t.Run("killed before it is kept", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Send(do(send("oracle", "the question")))
			in.Pass(7*24*time.Hour + time.Hour)
			peer.says(result)
			ctx, kill := context.WithCancel(in.T.Context())
			kill()
			if err := in.House.Internal.PollLatePeers(ctx); err == nil {
				t.Error("nothing is killed")
			}
			in.Reconcile()
			in.Pass(time.Minute)
			in.Reconcile()
			in.Reads(atWork, "has not answered", "it is 42")
		})
	})
	t.Run("killed after it is kept, and before it is told", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			task := waitedOut(in)
			peer.says(result)
			if _, first, err := in.Store.KeepLateAnswer(in.T.Context(), task.ID, "oracle", result); err != nil || !first {
				t.Fatal(first, err)
			}
			in.Reconcile()
			in.Pass(2 * time.Hour)
			in.Reconcile()
			in.Reads(atWork, "has not answered", "it is 42")
		})
	})
	t.Run("two workers look", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			waitedOut(in)
			peer.says(result)
			var workers sync.WaitGroup
			for range 2 {
				workers.Go(func() {
					if err := in.House.Internal.PollLatePeers(in.T.Context()); err != nil {
						t.Error(err)
					}
				})
			}
			workers.Wait()
			in.Pass(time.Minute)
			in.Reconcile()
			in.Reads(atWork, "has not answered", "it is 42")
		})
	})
	t.Run("several at once are one turn", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Send(do(send("oracle", "one question"), send("oracle", "another question")))
			in.Settle()
			giveUp(in)
			before := len(in.Read())
			peer.says(result)
			in.Reconcile()
			in.Pass(time.Hour)
			if read := in.Read()[before:]; len(read) != 1 || strings.Count(read[0], "it is 42") != 2 {
				t.Errorf("the person reads %q", read)
			}
		})
	})
	t.Run("one kind after another", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			waitedOut(in)
			for _, kind := range []core.LateKind{core.LateStatus, core.LateInputRequired, core.LateResult} {
				peer.says(lateWords[kind])
				for range 2 {
					in.Pass(2 * time.Hour)
					in.Reconcile()
				}
			}
			in.Reads(atWork, "has not answered", "half of it", "Which day?", "it is 42")
			looked := peer.looked
			in.Pass(24 * time.Hour)
			in.Reconcile()
			if peer.looked != looked {
				t.Error("a peer that has ended is looked at")
			}
		})
	})
	t.Run("of a sub-agent below another that was killed", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Send(do(send("sasha", do(send("oracle", "the question")))))
			in.Pass(time.Minute)
			if err := in.CancelTask(in.TaskOf("sasha").ID, "no longer needed"); err != nil {
				t.Fatal(err)
			}
			in.Pass(time.Minute)
			before := len(in.Read())
			peer.says(result)
			in.Reconcile()
			in.Pass(time.Minute)
			if read := in.Read()[before:]; len(read) != 1 || count(read, "a late result arrived from oracle") != 1 {
				t.Errorf("the person reads %q", read)
			}
		})
	})
	t.Run("kept", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			task := waitedOut(in)
			peer.says(result)
			in.Reconcile()
			key := store.NotificationsPrefix + "a2a/" + string(task.ID) + "/result"
			if read := recall(in, key); !strings.Contains(read, "it is 42") {
				t.Errorf("under %s is %q", key, read)
			}
			if read := recall(in, store.NotificationsPrefix+"index"); !strings.Contains(read, key) {
				t.Errorf("the index is %q", read)
			}
			if read := recall(in, store.NotificationsPrefix+"a2a/"+string(task.ID)+"/status"); strings.Contains(read, "it is 42") {
				t.Errorf("under another kind is %q", read)
			}
		})
	})
	t.Run("nobody is there", func(t *testing.T) {
		withPeer(t, func(in *workflowtest.Installation, peer *scriptedPeer) {
			in.Delegate("the question", "oracle")
			in.Settle()
			giveUp(in)
			peer.says(result)
			in.Reconcile()
			late, err := in.Store.Tasks(in.T.Context(), store.TaskFilter{Late: true})
			if err != nil || len(late) != 1 || late[0].Way != core.WayNone || late[0].Result != "it is 42" {
				t.Errorf("kept is %+v, %v", late, err)
			}
		})
	})
}
