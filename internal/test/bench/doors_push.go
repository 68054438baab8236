package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/store"
	"errand/workflows"
)

// pushes measures from when a peer pushes that it has a result until the session that waits for
// it has told it, where the peer would be looked at minutes later without that.
func pushes(ctx context.Context, o Options, must *musts) error {
	o.PortOffset += 300 // beside the installation of the other doors
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	peer := newPushingPeer()
	defer peer.Close()
	file := filepath.Join(dir, "errand.yaml")
	text := fmt.Sprintf("public_url: https://errand.example.org\nremote_agents:\n  oracle: {card: %q, description: Knows.}\n", peer.URL+"/card")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	env := map[string]string{"ERRAND_DATA": filepath.Join(dir, "data")}
	cfg, err := config.Load(config.Sources{File: file, Env: func(name string) string { return env[name] }, Tools: app.ToolNames(), Flags: config.Flags{PortOffset: 4000 + o.PortOffset}})
	if err != nil {
		return err
	}
	cfg.Limits.PerMinute, cfg.Budgets, cfg.Delegation.PairPerHour = config.Rates{}, config.Budgets{}, 0
	app.LimitCachedWorkflows(cfg)
	a, err := app.Start(ctx, app.Options{Config: cfg, Model: &instant{mayReport: make(chan struct{})}})
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	var took []time.Duration
	for i := range o.Rounds + 5 {
		d, err := pushed(ctx, a, peer, chat(i))
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	took = took[5:] // warm up
	must.hold(quantile(took, 0.95) <= time.Second, "the push of a peer is told after %s, 95 of 100, and must be after 1 s at most", ms(quantile(took, 0.95)))
	_, err = fmt.Fprintf(o.Out, "\na push of a peer, until its result is told in the session's turn (%d rounds): p50 %s, p95 %s, the longest %s (must: ≤ 1 s)\n",
		o.Rounds, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)), ms(quantile(took, 1)))
	return err
}

// pushed has the peer work on a task of a chat until errand looks at it in minutes only, and
// then push that it has ended. It returns how long the session took to tell that.
func pushed(ctx context.Context, a *app.App, peer *pushingPeer, chat string) (time.Duration, error) {
	if err := send(ctx, a, chat, toPeer+chat); err != nil {
		return 0, err
	}
	key := errand.NewSessionKey(errand.WebRoute(chat), app.Owner)
	err := until(ctx, func() (bool, error) {
		list, err := a.Store.Tasks(ctx, store.TaskFilter{Session: key, States: []errand.TaskState{errand.InputRequired}, Limit: 1})
		if err != nil || len(list) == 0 {
			return false, err
		}
		found, err := a.Client.DescribeWorkflowExecution(ctx, string(errand.SubAgentOwner(list[0].ID, "oracle")), "")
		if err != nil {
			return false, err
		}
		for _, act := range found.GetPendingActivities() {
			if act.GetActivityType().GetName() == workflows.WatchPeerActivity && act.GetNextAttemptScheduleTime().AsTime().After(time.Now().Add(time.Minute)) {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return 0, err
	}
	if err := settle(ctx); err != nil {
		return 0, err
	}
	events, cancel := a.Store.Bus().Subscribe(key)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+a.Address+"/a2a-push", strings.NewReader("{}"))
	if err != nil {
		return 0, err
	}
	r.Header.Set("X-A2A-Notification-Token", peer.end(chat))
	began := time.Now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		return 0, errors.New("the push is answered with " + resp.Status)
	}
	for {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case e, ok := <-events:
			switch {
			case !ok:
				return 0, errors.New("the event log ended")
			case e.Type == errand.EventLate:
				return time.Since(began), nil
			}
		}
	}
}

// A pushingPeer is an agent of another system, over JSON-RPC, that asks something about each
// task until that is ended.
type pushingPeer struct {
	*httptest.Server

	mu      sync.Mutex
	secrets map[string]string // by task, which is called as it was asked for
	over    map[string]bool
}

func newPushingPeer() *pushingPeer {
	p := &pushingPeer{secrets: map[string]string{}, over: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"Oracle","capabilities":{"pushNotifications":true},"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, p.URL)
	})
	mux.HandleFunc("POST /rpc", p.answer)
	p.Server = httptest.NewServer(mux)
	return p
}

func (p *pushingPeer) answer(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     json.RawMessage
		Method string
		Params struct {
			ID            string
			Message       struct{ Parts []struct{ Text string } }
			Configuration struct {
				Push struct{ Token string } `json:"taskPushNotificationConfig"`
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	task, wrapped := in.Params.ID, "%s"
	if in.Method == "SendMessage" {
		task, wrapped = in.Params.Message.Parts[0].Text, `{"task":%s}`
		p.secrets[task] = in.Params.Configuration.Push.Token
	}
	status := `{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Which day?"}]}}`
	if p.over[task] {
		status = `{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"42"}]}]`
	}
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":`+wrapped+`}`, in.ID, fmt.Sprintf(`{"id":%q,"contextId":"c","status":%s}`, task, status))
}

// end ends a task, and returns the secret with which that may be pushed.
func (p *pushingPeer) end(task string) (secret string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over[task] = true
	return p.secrets[task]
}
