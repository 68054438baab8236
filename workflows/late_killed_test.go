package workflows_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/test/workflowtest"
)

// beforeHeard is in an activity that looks at a peer: it has answered, and nothing is kept.
const beforeHeard probe.Point = "before heard"

// A killer kills a worker at a point, once: what has come there does nothing further, and
// nobody is told that it does not. Nil kills nothing.
type killer struct {
	mu     sync.Mutex
	at     probe.Point
	left   int // times that the point is passed before
	killed bool
}

func (k *killer) arm(at probe.Point, nth int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.left = at, nth-1
}

func (k *killer) hits(p probe.Point) bool {
	if k == nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.killed || k.at != p {
		return false
	}
	k.killed, k.left = k.left == 0, k.left-1
	return k.killed
}

func (k *killer) inService(p probe.Point) {
	if k.hits(p) {
		runtime.Goexit()
	}
}

func (k *killer) inActivity(p probe.Point) {
	if k.hits(p) {
		panic("killed " + p)
	}
}

func (k *killer) reconcile(in *workflowtest.Installation) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := in.Reconciler.Once(in.T.Context(), time.Now().Add(time.Second)); err != nil {
			in.T.Error(err)
		}
	}()
	<-done
	in.Settle()
}

// A killedPeer is one whose answer may come to a worker that is killed then.
type killedPeer struct {
	*scriptedPeer
	k *killer
}

// Poll is that of the peer.
func (p *killedPeer) Poll(ctx context.Context, id string) (core.PeerTask, error) {
	status, err := p.scriptedPeer.Poll(ctx, id)
	p.k.inActivity(beforeHeard)
	return status, err
}

// TestLateAnswersKilled proves that what a peer says is read as often, and where, as
// TestLateAnswers says, whatever the process is at when it is killed: before the words are
// kept, when they are and nobody has been told, after that, and in the middle of the turn.
func TestLateAnswersKilled(t *testing.T) {
	t.Parallel()
	const waits, ended, canceled = "waits", "was waited out", "was canceled"
	const running, suspended, reset = "a turn runs", "suspended", "reset"
	inTurn := []probe.Point{probe.BeforeT1, probe.BeforeT2, probe.AfterT2}
	points := map[string][]probe.Point{
		waits:    append([]probe.Point{beforeHeard, probe.BeforeFinish, probe.AfterFinish, probe.AfterFinished}, inTurn...),
		ended:    append([]probe.Point{probe.BeforeLate, probe.AfterLate, probe.AfterLateSignal}, inTurn...),
		canceled: append([]probe.Point{probe.BeforeLate, probe.AfterLate, probe.AfterLateSignal}, inTurn...),
	}
	for kind, status := range lateWords {
		for sub, at := range points {
			for _, session := range []string{running, suspended, reset} {
				for i, point := range at {
					turns := point == probe.BeforeT1 || point == probe.BeforeT2 || point == probe.AfterT2
					switch {
					case sub == waits && (kind == core.LateStatus || kind == core.LateInputRequired) && i > 0,
						sub == canceled && kind == core.LateStatus && point != probe.BeforeLate && point != probe.AfterLate:
						continue // it does not come that far
					case session == reset && turns && point != probe.BeforeT1:
						continue // a notification, which no model words
					case testing.Short() && kind != core.LateResult:
						continue // a hundred more installations
					}
					t.Run(string(kind)+", the sub-agent "+sub+", session "+session+", killed "+string(point), func(t *testing.T) {
						k := &killer{}
						withPeers(t, k, func(in *workflowtest.Installation, peers map[core.AgentName]*scriptedPeer) {
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
							task, busy, nth := in.TaskOf("oracle"), 0, 1
							switch session {
							case running:
								in.Send("wait 5m")
								busy = 1
								if turns && point != probe.BeforeT1 {
									nth = 2 // the next turn, which has what was said
								}
							case suspended:
								in.Pass(3 * time.Hour)
							case reset:
								in.Reset()
							}
							before := len(in.Read())
							k.arm(point, nth)
							peers["oracle"].says(status)
							for range 4 {
								in.Pass(2 * time.Minute)
								k.reconcile(in)
							}
							in.Pass(30 * time.Minute) // not so long that a question is repeated
							k.reconcile(in)
							if !k.killed {
								t.Fatal("nothing was killed")
							}
							want := 1
							if kind == core.LateStatus && sub != ended {
								want = 0
							}
							read := in.Read()[before:]
							if n := count(read, status.Text); n != want || len(read) != want+busy {
								t.Errorf("the person reads it %d times, want %d: %q", n, want, read)
							}
							fold := want
							if sub == waits || session == reset {
								fold = 0
							}
							if n := count(read, "a late "+string(kind)+" arrived from oracle for your completed sub-agent "+string(task.ID)+"/oracle"); n != fold {
								t.Errorf("%d times it is told as a late %s: %q", n, kind, read)
							}
							if sub != waits {
								keptOnce(in, task.ID, kind, want == 0)
							}
						})
					})
				}
			}
		}
	}
}
