package app_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"errand"
	"errand/internal/a2aclient"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/freeport"
	"errand/internal/ownerkey"
	"errand/internal/sim/a2a"
)

// A countedLog is one of which the lines are counted that have some words.
type countedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *countedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *countedLog) count(words string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.text.String(), words)
}

// TestLatePushed proves that a peer which pushes that it has something to say of what was
// canceled is heard after a restart, and told once; and that what is pushed for nothing known
// is answered with 404, logged and counted, before the restart, after it, and once the task
// that the secret was of has been deleted.
func TestLatePushed(t *testing.T) {
	t.Parallel()
	peer := &a2a.Peer{}
	server := httptest.NewServer(peer)
	t.Cleanup(server.Close)
	log := &countedLog{}
	listen := fmt.Sprintf("127.0.0.1:%d", freeport.For(t))
	in, _ := play(t, func(o *app.Options) { o.Logger = slog.New(slog.NewTextHandler(log, nil)) }, func(cfg *config.Config) {
		var err error
		cfg.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "oracle", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		cfg.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: server.URL + a2a.CardPath}}
		cfg.Listen, cfg.PublicURL = listen, "http://"+listen
	})
	push := func(secret string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listen+a2aclient.PushPath, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("A2A-Notification-Token", secret)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		return resp.StatusCode
	}
	unknown := func(secret, when string) {
		t.Helper()
		logged := log.count("somebody pushes what belongs to no task")
		if status := push(secret); status != http.StatusNotFound {
			t.Errorf("%s, a push for nothing known is answered %d", when, status)
		}
		if now := log.count("somebody pushes what belongs to no task"); now != logged+1 {
			t.Errorf("%s, it is logged %d times", when, now-logged)
		}
		key, err := ownerkey.Read(in.opts.Config.Data)
		if err != nil {
			t.Fatal(err)
		}
		if counted := scrape(t, in.Address, string(key)); !strings.Contains(counted, `errand_hook_refused_total{path="/a2a-push"} 1`) {
			t.Errorf("%s, it is not counted", when)
		}
	}
	chat := in.send("main", do(send("oracle", "the question")))
	in.until(chat, replies(1))
	task := in.awaitTasks("main", 1)[0]
	var secret string
	eventually(t, "the peer's id is known", func() bool {
		work, err := in.Store.PeerWork(t.Context(), task.ID, "oracle")
		secret = work.Push
		return err == nil && work.PeerTask != ""
	})
	if _, err := in.Service.CancelTask(t.Context(), owner, task.ID, "not needed"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the peer is told", func() bool { return peer.IsCanceled(peer.Texts()[0]) })
	unknown("nobody's", "before the restart")
	in.stop()
	in.start()
	unknown("nobody's", "after the restart")
	ctx, end := context.WithTimeout(t.Context(), limit)
	defer end()
	if err := peer.Says(ctx, peer.Texts()[0], a2a.Completed, "it is 42"); err != nil {
		t.Fatal(err)
	}
	said := textsOf(in.until(chat, replies(2)))
	if !strings.Contains(said[1], "a late result arrived from oracle") || !strings.Contains(said[1], "it is 42") {
		t.Errorf("the late result is told as %q", said[1])
	}
	if status := push(secret); status != http.StatusNoContent {
		t.Errorf("pushed again it is answered %d", status)
	}
	in.reconcile()
	if said := textsOf(in.until(chat, replies(2))); len(said) != 2 {
		t.Errorf("the person reads %q", said)
	}
	if _, err := in.Service.NewSession(t.Context(), owner, chat, "", errand.ShortID(8)); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Service.DeleteSession(t.Context(), owner, task.Origin.Session, true); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the task is deleted", func() bool { return push(secret) == http.StatusNotFound })
}
