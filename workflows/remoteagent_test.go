package workflows_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// A scriptedPeer answers as a script says.
type scriptedPeer struct {
	starts func(time int) (core.PeerTask, error) // the nth attempt, from 1
	looks  func(age time.Duration) (core.PeerTask, error)
	slow   time.Duration // how long it takes to be told something

	mu       sync.Mutex
	began    time.Time
	messages []string
	looked   int
	canceled []string
	answers  []string      // as message, context and text
	waits    core.PeerTask // how it stands once it is sent the task, until it is answered; zero: as looks says
}

func (p *scriptedPeer) Start(ctx context.Context, order core.PeerOrder) (core.PeerTask, error) {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.began.IsZero() {
		p.began = time.Now()
	}
	p.messages = append(p.messages, order.Message)
	if p.starts == nil {
		return core.PeerTask{ID: "peer-1", State: core.Working}, nil
	}
	status, err := p.starts(len(p.messages))
	if ctx.Err() != nil { // who has hung up hears nothing
		return core.PeerTask{}, ctx.Err()
	}
	return status, err
}

func (p *scriptedPeer) Poll(context.Context, string) (core.PeerTask, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.looked++
	if p.waits.State != "" {
		return p.waits, nil
	}
	return p.looks(time.Since(p.began))
}

func (p *scriptedPeer) Answer(_ context.Context, task core.PeerTask, message, text string) (core.PeerTask, error) {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers, p.waits = append(p.answers, message+" "+task.Context+" "+text), core.PeerTask{}
	return p.looks(time.Since(p.began))
}

func (p *scriptedPeer) Cancel(_ context.Context, id string) error {
	time.Sleep(p.slow)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.canceled = append(p.canceled, id)
	return nil
}

// TestRemoteAgent proves what becomes of a task that is sent to another system, whatever
// that does: it is begun once by one message, looked after for as long as it goes on, and
// has one end.
func TestRemoteAgent(t *testing.T) {
	t.Parallel()
	working := core.PeerTask{ID: "peer-1", State: core.Working}
	done := core.PeerTask{ID: "peer-1", State: core.Completed, Text: "42"}
	after := func(d time.Duration, then core.PeerTask) func(time.Duration) (core.PeerTask, error) {
		return func(age time.Duration) (core.PeerTask, error) {
			if age < d {
				return working, nil
			}
			return then, nil
		}
	}
	for _, test := range []struct {
		name    string
		starts  func(int) (core.PeerTask, error)
		looks   func(time.Duration) (core.PeerTask, error)
		slow    time.Duration
		cancel  time.Duration // after which a person cancels it; 0: nobody does
		passes  time.Duration
		state   core.TaskState
		says    string // the result, or why there is none
		started int    // how often it was sent; 0: once
		mostly  int    // how often it is looked at, at most; 0: however often
	}{
		{name: "answers at once", starts: func(int) (core.PeerTask, error) { return done, nil }, passes: time.Minute, state: core.Completed, says: "42"},
		{name: "answers with a message", starts: func(int) (core.PeerTask, error) {
			return core.PeerTask{State: core.Completed, Text: "42"}, nil
		}, passes: time.Minute, state: core.Completed, says: "42"},
		{name: "works for an hour", looks: after(time.Hour, done), passes: 2 * time.Hour, state: core.Completed, says: "42", mostly: 180},
		{name: "works for five days", looks: after(5*24*time.Hour, done), passes: 6 * 24 * time.Hour, state: core.Completed, says: "42"},
		{name: "fails", looks: after(time.Minute, core.PeerTask{ID: "peer-1", State: core.Failed, Text: "The peer has failed: no"}), passes: time.Hour, state: core.Failed, says: "The peer has failed: no"},
		{name: "is away when it is sent", starts: func(n int) (core.PeerTask, error) {
			if n < 4 {
				return core.PeerTask{}, errors.New("connection refused")
			}
			return working, nil
		}, looks: after(time.Minute, done), passes: time.Hour, state: core.Completed, says: "42", started: 4},
		{name: "never answers", looks: after(10*24*time.Hour, done), passes: 8 * 24 * time.Hour, state: core.Failed, says: "Oracle has not answered in 7 d. Last known: it has not finished"},
		{name: "does not say whether it has begun", starts: func(int) (core.PeerTask, error) { return core.PeerTask{}, core.ErrPeerMayHaveBegun }, passes: 2 * time.Hour,
			state: core.Failed, says: "Oracle was sent the task twice, and it is unknown whether it has begun. Last known: the peer has not said whether it has begun", started: 2},
		{name: "says late that it has begun", starts: func(n int) (core.PeerTask, error) {
			if n < 2 {
				return core.PeerTask{}, core.ErrPeerMayHaveBegun
			}
			return working, nil
		}, looks: after(time.Minute, done), passes: time.Hour, state: core.Completed, says: "42", started: 2},
		{name: "is canceled while it is sent", starts: func(int) (core.PeerTask, error) { time.Sleep(30 * time.Second); return working, nil },
			cancel: 10 * time.Second, passes: time.Hour, state: core.Canceled, says: "no longer needed"},
		{name: "is slow", slow: time.Minute, looks: after(time.Hour, done), passes: 2 * time.Hour, state: core.Completed, says: "42"},
		{name: "is slow, and canceled", slow: time.Minute, looks: after(time.Hour, done), cancel: 10 * time.Minute, passes: 2 * time.Hour, state: core.Canceled, says: "no longer needed"},
		{name: "is canceled", looks: after(time.Hour, done), cancel: 10 * time.Minute, passes: 2 * time.Hour, state: core.Canceled, says: "no longer needed"},
	} {
		if testing.Short() && slices.Contains([]string{"never answers", "works for five days"}, test.name) {
			continue // thousands of looks
		}
		t.Run(test.name, func(t *testing.T) {
			peer := &scriptedPeer{starts: test.starts, looks: test.looks, slow: test.slow}
			roster, err := agents.New("nikki", []agents.Agent{
				{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}},
				{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
			}, agents.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			workflowtest.Run(t, workflowtest.Options{Roster: roster, Peers: map[core.AgentName]activities.Peer{"oracle": peer}}, func(in *workflowtest.Installation) {
				in.Delegate("the question", "oracle")
				in.Settle()
				if test.cancel > 0 {
					owner := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
					if _, err := servicetest.SteerTask(in.T.Context(), in.House.Service, owner, in.TaskOf("oracle").ID, "", "and more"); err == nil {
						t.Error("something is added to what was sent away")
					}
					in.Pass(test.cancel)
					if err := in.CancelTask(in.TaskOf("oracle").ID, test.says); err != nil {
						t.Fatal(err)
					}
				}
				in.Pass(test.passes)
				task := in.TaskOf("oracle")
				if says := task.Result + task.Error; task.State != test.state || says != test.says {
					t.Errorf("it ends as %s with %q, want %s with %q", task.State, says, test.state, test.says)
				}
				if n := len(peer.messages); n != max(test.started, 1) || len(slices.Compact(slices.Clone(peer.messages))) != 1 {
					t.Errorf("it is sent as %v", peer.messages)
				}
				if test.mostly > 0 && peer.looked > test.mostly {
					t.Errorf("it is looked at %d times", peer.looked)
				}
				if status := slices.Equal(peer.canceled, []string{"peer-1"}); status != (test.cancel > 0) {
					t.Errorf("canceled at the peer: %v", peer.canceled)
				}
			})
		})
	}
}
