package telegram_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/channels"
	"errand/internal/channels/telegram"
	"errand/internal/service"
)

// hooked is a rig whose channels are delivered to; what is behind the address may
// change, as processes do.
func hooked(t *testing.T) (r *rig, behind *atomic.Pointer[telegram.Channel], url string) {
	t.Helper()
	r, behind = newRig(t, service.AccessOpen), &atomic.Pointer[telegram.Channel]{}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if c := behind.Load(); c != nil {
			c.ServeHTTP(w, req)
			return
		}
		w.WriteHeader(http.StatusBadGateway)
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	r.tune = func(o *telegram.Options) {
		o.Webhook, o.Poll = &telegram.Webhook{URL: web.URL + "/telegram/main", Secret: "the-secret"}, 10*time.Millisecond
	}
	return r, behind, web.URL + "/telegram/main"
}

// TestWebhook proves that what Telegram delivers is taken in once, in order: also
// what errand could not commit at first, what came while nothing listened, and by
// a process that does not hold the connection.
func TestWebhook(t *testing.T) {
	t.Parallel()
	r, behind, _ := hooked(t)
	c := r.start()
	behind.Store(c)
	r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
	if got := r.server.Calls("setWebhook")[0].Params; got["max_connections"] != "1" || len(r.server.Calls("getUpdates")) > 0 {
		t.Errorf("it is set with %v", got)
	}
	r.gate.Fail(errors.New("the disk is full"))
	r.server.Write(r.chat, r.ana, "one")
	r.until("Telegram knows that it was not taken", func() bool {
		s := c.Status()
		return s.State == channels.Degraded && strings.Contains(s.Detail, "503") && strings.Contains(s.Advice, "secret_env")
	})
	r.gate.Fail(nil)
	r.confirmed()
	r.until("it is well again", func() bool { return c.Status().State == channels.Connected })
	call(r, "deleteWebhook", `{}`)
	r.until("it is set again", func() bool { return len(r.server.Calls("setWebhook")) == 2 })
	behind.Store(nil)
	r.stop()
	r.server.Write(r.chat, r.ana, "two")
	behind.Store(r.new()) // which does not run
	r.confirmed()
	r.server.Write(r.chat, r.ana, "/whoami")
	r.confirmed()
	person := r.gate.Outcomes()[0].Person
	if got := strings.Join(r.inbox(r.chat, person), ", "); got != "one, two" {
		t.Errorf("the inbox has %s", got)
	}
	// Without it, it is asked again.
	r.tune = nil
	r.server.Write(r.chat, r.ana, "three")
	r.start()
	r.confirmed()
	if got := strings.Join(r.inbox(r.chat, person), ", "); got != "one, two, three" {
		t.Errorf("the inbox has %s", got)
	}
}

// TestWebhookRefuses proves that nothing is taken in from anybody but Telegram, and
// that nobody can fill the memory.
func TestWebhookRefuses(t *testing.T) {
	r, behind, url := hooked(t)
	behind.Store(r.new())
	const update = `{"update_id": 5, "message": {"message_id": 1, "date": 1, "text": "hi", "from": {"id": 9, "first_name": "Eve"}, "chat": {"id": 9, "type": "private"}}}`
	tests := []struct {
		name, method, secret, body string
		want                       int
	}{
		{"no secret", "POST", "", update, 401},
		{"another secret", "POST", "the-secret2", update, 401},
		{"a read", "GET", "the-secret", "", 405},
		{"far too large", "POST", "the-secret", strings.Repeat("x", 2<<20), 413},
		{"no update", "POST", "the-secret", "[]", 200}, // it would come again for ever
		{"an update", "POST", "the-secret", update, 200},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			req, err := http.NewRequest(tt.method, url, strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			if tt.secret != "" {
				req.Header.Set("X-Telegram-Bot-Api-Secret-Token", tt.secret)
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want {
				t.Errorf("answered %d, want %d", resp.StatusCode, tt.want)
			}
		})
	}
	if came := r.gate.Arrivals(); len(came) != 1 || came[0].Text != "hi" {
		t.Errorf("came: %+v", came)
	}
	if strings.Contains(r.gate.Log(), "the-secret") {
		t.Error("the log has the secret")
	}
	// An address without a secret takes nothing in.
	if _, err := telegram.New(telegram.Options{Account: "main", Token: "7:x", Receiver: r.gate, Logger: slog.New(slog.DiscardHandler), Webhook: &telegram.Webhook{URL: url}}); err == nil {
		t.Error("a webhook without a secret is taken")
	}
}

// TestWebhookFlood proves that whoever calls without the secret is counted, and
// cannot fill the log.
func TestWebhookFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c, err := telegram.New(telegram.Options{Account: "main", Token: "7:x", Receiver: &taker{}, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			Webhook: &telegram.Webhook{URL: "https://errand.example.org", Secret: "the-secret"}})
		if err != nil {
			t.Fatal(err)
		}
		flood := func() {
			for range 1000 {
				rec := httptest.NewRecorder()
				if c.ServeHTTP(rec, httptest.NewRequest("POST", "/", strings.NewReader("{}"))); rec.Code != http.StatusUnauthorized {
					t.Fatalf("answered %d", rec.Code)
				}
			}
		}
		flood()
		time.Sleep(2 * time.Minute) // in the bubble, where it takes no time
		flood()
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], "refused=1") || !strings.Contains(lines[1], "refused=1001") {
			t.Errorf("the log has %d lines:\n%s", len(lines), strings.Join(lines[:min(3, len(lines))], "\n"))
		}
		if n := c.Refused(); n != 2000 {
			t.Errorf("%d are counted", n)
		}
	})
}
