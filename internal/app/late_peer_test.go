package app_test

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/test/servicetest"
	"errand/internal/test/sim/a2a"
)

// TestLateAnswerIsTold proves that what a peer says of a canceled task is told within 10 s, also
// after a restart, and once.
func TestLateAnswerIsTold(t *testing.T) {
	t.Parallel()
	peer := &a2a.Peer{}
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	in, _ := play(t, nil, func(cfg *config.Config) {
		var err error
		cfg.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		cfg.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: server.URL + a2a.CardPath}}
	})
	chat := in.send("main", do(send("oracle", "the question")))
	in.until(chat, replies(1))
	task := in.awaitTasks("main", 1)[0]
	eventually(t, "the peer's id is known", func() bool {
		work, err := in.Store.PeerWork(t.Context(), task.ID, "oracle")
		return err == nil && work.PeerTask != ""
	})
	if _, err := servicetest.CancelTask(t.Context(), in.Service, owner, task.ID, "not needed"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the peer is told", func() bool { return peer.IsCanceled(peer.Texts()[0]) })
	in.stop()
	in.start()
	for i, say := range []struct {
		state a2a.State
		words string
		told  string
	}{{a2a.InputRequired, "Which day?", "a late input-required arrived from oracle"}, {a2a.Completed, "it is 42", "a late result arrived from oracle"}} {
		ended := time.Now()
		if err := peer.Says(peer.Texts()[0], say.state, say.words); err != nil {
			t.Fatal(err)
		}
		said := textsOf(in.until(chat, replies(i+2)))
		if passed := time.Since(ended); passed > 10*time.Second {
			t.Errorf("%s is told after %s", say.state, passed)
		}
		if !strings.Contains(said[i+1], say.told) || !strings.Contains(said[i+1], say.words) {
			t.Errorf("%s is told as %q", say.state, said[i+1])
		}
	}
	in.reconcile()
	if said := textsOf(in.until(chat, replies(3))); len(said) != 3 {
		t.Errorf("the person reads %q", said)
	}
}
