package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/test/workflowtest"
)

// A followedPeer may say by itself that there is something new.
type followedPeer struct {
	*scriptedPeer
	follow func(context.Context) (bool, error)
	news   chan struct{} // closed: there is
}

func (p *followedPeer) Follow(ctx context.Context, _ string) (bool, error) {
	if p.follow != nil {
		return p.follow(ctx)
	}
	select {
	case <-p.news:
		return true, nil
	case <-time.After(50 * time.Second):
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// TestPeerIsFollowed proves that a peer which is followed is looked at when it says so; and that
// one whose stream breaks, or which says that there is something new and has nothing, is asked at
// once and after the pauses of a peer that is asked.
func TestPeerIsFollowed(t *testing.T) {
	for _, test := range []struct {
		name   string
		follow func(context.Context) (bool, error) // nil: a stream
		passes time.Duration                       // until it is looked at
		least  int                                 // how often it is looked at in three hours
		mostly int
	}{
		{name: "a stream", passes: 2 * time.Second, least: 200, mostly: 230},
		{name: "streams that break", follow: func(context.Context) (bool, error) { return false, errors.New("it broke") }, passes: time.Minute, least: 570, mostly: 600},
		{name: "it cries wolf", follow: func(context.Context) (bool, error) { return true, nil }, passes: time.Minute, least: 570, mostly: 600},
		{name: "it is not to be", follow: func(context.Context) (bool, error) { return false, core.ErrPeerNotFollowed }, passes: time.Minute, least: 285, mostly: 300},
	} {
		t.Run(test.name, func(t *testing.T) {
			peer := &followedPeer{news: make(chan struct{}), follow: test.follow, scriptedPeer: &scriptedPeer{looks: func(time.Duration) (core.PeerTask, error) {
				return core.PeerTask{ID: "peer-1", State: core.Working}, nil
			}}}
			roster, err := agents.New("nikki", []agents.Agent{
				{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}},
				{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
			}, agents.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			workflowtest.Run(t, workflowtest.Options{Roster: roster, Peers: map[core.AgentName]activities.Peer{"oracle": peer}}, func(in *workflowtest.Installation) {
				peer.news = make(chan struct{}) // in the bubble of this
				in.Send(do(send("oracle", "the question")))
				in.Pass(3 * time.Hour)
				if peer.looked < test.least || peer.looked > test.mostly {
					t.Errorf("it is looked at %d times", peer.looked)
				}
				peer.says(lateWords[core.LateResult])
				close(peer.news)
				in.Settle()
				in.Pass(test.passes)
				in.Reads(atWork, "it is 42")
			})
		})
	}
}
