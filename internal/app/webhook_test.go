package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/store"
)

// A webhookCall is a request that a receiver of webhooks got.
type webhookCall struct {
	header http.Header
	body   []byte
}

// A hookReceiver is a program that is told of the ends of tasks. To as many requests as it
// refuses it answers 500, and says when it would like the next.
type hookReceiver struct {
	*httptest.Server
	mu      sync.Mutex
	refuses int
	got     []webhookCall
}

func newHookReceiver(t *testing.T, refuses int) *hookReceiver {
	r := &hookReceiver{refuses: refuses}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		body, _ := io.ReadAll(in.Body)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.got = append(r.got, webhookCall{in.Header, body})
		if len(r.got) <= r.refuses {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *hookReceiver) requests() []webhookCall {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]webhookCall(nil), r.got...)
}

// TestTriggerDoor proves that a program which gives a task by POST /trigger-bot is told of its
// end once it can be, by a request that a library of Standard Webhooks accepts; also where
// errand has no account on any platform. With -record it keeps the histories.
func TestTriggerDoor(t *testing.T) {
	if !*record {
		t.Parallel()
	}
	ready, busy, gone := newHookReceiver(t, 0), newHookReceiver(t, 2), newHookReceiver(t, 0)
	gone.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	in, s := play(t, nil, func(c *config.Config) {
		for _, r := range []*hookReceiver{ready, busy, gone} {
			c.Hooks.Allow = append(c.Hooks.Allow, strings.TrimPrefix(r.URL, "http://"))
		}
	})
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	post := func(path string, in any, out any) int {
		t.Helper()
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		client := http.Client{Transport: bearer(owner)}
		resp, err := client.Post(path, "application/json", bytes.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode
	}
	base := "http://" + in.Address
	var key struct{ Secret string }
	post(base+"/api/hooks/secret", map[string]any{}, &key)
	verifier, err := webhooks.NewWebhook(key.Secret)
	if err != nil {
		t.Fatal(err)
	}

	give := func(to *hookReceiver, task string, wait int) (core.TaskID, int) {
		t.Helper()
		var given struct{ ID core.TaskID }
		status := post(base+"/trigger-bot", map[string]any{"agent": "sasha", "task": task, "callback_url": to.URL + "/hook?for=me", "wait_seconds": wait}, &given)
		return given.ID, status
	}
	soon, status := give(ready, "trains", 40)
	if status != http.StatusOK {
		t.Errorf("waited for it is answered %d", status)
	}
	late, status := give(busy, "wait hooks", 1)
	if status != http.StatusAccepted {
		t.Errorf("waited for too short a time it is answered %d", status)
	}
	s.open("hooks")
	lost, _ := give(gone, "trains", 40)

	for _, want := range []struct {
		task  core.TaskID
		to    *hookReceiver
		times int
		state core.WebhookState
		name  string
	}{
		{soon, ready, 1, core.WebhookSent, "webhook-taken"},
		{late, busy, 3, core.WebhookSent, "webhook-taken-at-the-third-attempt"},
		{lost, gone, 0, core.WebhookFailed, "webhook-refused"},
	} {
		var hook core.Webhook
		eventually(t, "the end of "+want.name, func() bool {
			list, err := in.Store.Webhooks(t.Context(), app.Owner, store.Page{})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range list {
				if w.Task == want.task {
					hook = w
				}
			}
			return hook.State == want.state
		})
		in.atRest(hook.ID)
		in.reconcile() // who looks after what was missed sends nothing again
		for _, history := range in.histories(hook.ID) {
			in.replays(want.name, history)
		}
		got := want.to.requests()
		if len(got) != want.times {
			t.Errorf("%s: %d requests", want.name, len(got))
		}
		for _, r := range got {
			var said struct {
				Type string
				Data struct {
					ID     core.TaskID
					Result string
				}
			}
			if err := verifier.Verify(r.body, r.header); err != nil {
				t.Errorf("%s: %v", want.name, err)
			}
			if err := json.Unmarshal(r.body, &said); err != nil || said.Type != "task.completed" || said.Data.ID != want.task || said.Data.Result == "" {
				t.Errorf("%s: %s, %v", want.name, r.body, err)
			}
			if r.header.Get("webhook-id") != hook.ID || !bytes.Equal(r.body, got[0].body) {
				t.Errorf("%s: another attempt says %s as %q", want.name, r.body, r.header.Get("webhook-id"))
			}
		}
	}
}
