package app_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/test/sim/push"
)

// A pushRig is an installation, and a push service with browsers of its owner.
type pushRig struct {
	*installation
	service *push.Server
	client  http.Client
}

func newPushRig(t *testing.T) (*pushRig, *stage) {
	service := push.Start()
	t.Cleanup(service.Close)
	in, s := play(t, nil, func(c *config.Config) { c.Hooks.Allow = append(c.Hooks.Allow, service.Host()) })
	key, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	return &pushRig{in, service, http.Client{Transport: bearer(key)}}, s
}

// call calls the API as the owner.
func (r *pushRig) call(method, path string, in any) (status int, body string) {
	r.t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		r.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(r.t.Context(), method, "http://"+r.Address+path, bytes.NewReader(raw))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Mozilla/5.0 (Linux; Android 15) Chrome/140.0 Mobile")
	resp, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(got)
}

func (r *pushRig) subscribes(words bool) *push.Browser {
	r.t.Helper()
	var answer struct{ Key string }
	if _, body := r.call(http.MethodGet, "/api/me/push", nil); json.Unmarshal([]byte(body), &answer) != nil {
		r.t.Fatal(body)
	}
	b, err := r.service.Subscribe(answer.Key)
	if err != nil {
		r.t.Fatal(err)
	}
	if status, body := r.call(http.MethodPut, "/api/me/push", subscriptionOf(b, words)); status != http.StatusOK || !strings.Contains(body, `"label":"Chrome, Android"`) || strings.Contains(body, b.Auth) {
		r.t.Fatal(status, body)
	}
	return b
}

func subscriptionOf(b *push.Browser, words bool) map[string]any {
	return map[string]any{"endpoint": b.Endpoint, "p256dh": b.P256DH, "auth": b.Auth, "words": words}
}

// settled waits until no browser is to be told of anything.
func (r *pushRig) settled() {
	r.t.Helper()
	eventually(r.t, "every browser is told", func() bool {
		for _, err := range r.Store.AllDuePushes(r.t.Context(), time.Now().Add(time.Hour)) {
			if err != nil {
				r.t.Fatal(err)
			}
			return false
		}
		return true
	})
}

func (r *pushRig) late(key core.SessionKey) core.Event {
	r.t.Helper()
	var late core.Event
	eventually(r.t, "a late result", func() bool {
		list, err := r.Store.LastEvents(r.t.Context(), key, math.MaxInt64, 10)
		if err != nil {
			r.t.Fatal(err)
		}
		for _, e := range list {
			if e.Type == core.EventLate {
				late = e
			}
		}
		return late.ID > 0
	})
	return late
}

// TestPush proves that browsers are told once of a result that comes while no page is open,
// over restarts and by push services that are away for a while; without its words but where
// they are asked for; that a browser which is gone is forgotten; and that what was seen on a
// page is told nowhere else.
func TestPush(t *testing.T) {
	t.Parallel()
	r, s := newPushRig(t)
	plain, words, busy, gone := r.subscribes(false), r.subscribes(true), r.subscribes(false), r.subscribes(false)
	r.service.Answer(busy, push.Answer{Status: http.StatusTooManyRequests, RetryAfter: "1"})
	r.service.Answer(gone, push.Answer{Status: http.StatusGone})
	key := r.send("trains & co", do(send("sasha", "wait push")))
	r.until(key, replies(1)) // else the turn tells the result
	s.open("push")
	late := r.late(key)
	r.stop()
	r.start()
	r.reconcile()
	r.settled()
	r.reconcile() // who looks after what was missed tells nothing again
	r.settled()
	for name, b := range map[string]struct {
		*push.Browser
		asked int
	}{"plain": {plain, 1}, "words": {words, 1}, "busy": {busy, 2}} {
		got := r.service.Took(b.Browser)
		if len(got) != 1 || r.service.Asked(b.Browser) != b.asked {
			t.Fatalf("%s was told %+v in %d attempts (%q)", name, got, r.service.Asked(b.Browser), r.service.Wrong())
		}
		var said struct {
			Body, URL string
			Event     int64
		}
		if err := json.Unmarshal([]byte(got[0].Text), &said); err != nil {
			t.Fatal(err)
		}
		if said.URL != fmt.Sprintf("/?chat=trains+%%26+co#e%d", late.ID) || said.Event != late.ID || got[0].TTL > 24*time.Hour || got[0].TTL < 23*time.Hour {
			t.Errorf("%s is told %+v for %s", name, said, got[0].TTL)
		}
		want := "A result has arrived."
		if name == "words" {
			want = core.Cut(late.Text, 200)
		}
		if said.Body != want || name != "words" && strings.Contains(got[0].Text, "push\"") {
			t.Errorf("%s reads %q, want %q", name, said.Body, want)
		}
	}
	if r.service.Asked(gone) != 1 || len(r.service.Wrong()) > 0 {
		t.Errorf("a browser that is gone was told %d times; wrong: %q", r.service.Asked(gone), r.service.Wrong())
	}
	list, err := r.Store.PushSubscriptions(t.Context(), app.Owner)
	if err != nil || len(list) != 3 || slices.ContainsFunc(list, func(p core.PushSubscription) bool {
		return p.Endpoint == gone.Endpoint || p.Sent.IsZero() || p.Failures > 0
	}) {
		t.Errorf("what is kept is %+v, %v", list, err)
	}

	// What waits for the person is told, too; what they have seen by then is not.
	key = r.send("asked", do(send("sasha", do(tool("ask_user", map[string]string{"question": "Which day?"})))))
	r.until(key, hasText("Which day?"))
	r.settled()
	if got := r.service.Took(plain); len(got) != 2 || !strings.Contains(got[1].Text, "An agent has a question for you.") {
		t.Errorf("of a question a browser is told %+v", got)
	}
	key = r.send("looked at", do(send("sasha", "wait seen")))
	// A page that is slow to say what it has seen is another matter: here it is ahead.
	var chat core.SessionID
	eventually(t, "a session", func() bool {
		list, err := r.Store.LastEvents(t.Context(), key, math.MaxInt64, 10)
		for _, e := range list {
			chat = cmp.Or(e.Session, chat)
		}
		return err == nil && chat != ""
	})
	seen := int64(math.MaxInt64)
	if err := r.Store.ChangeChat(t.Context(), app.Owner, chat, core.ChatChange{Seen: &seen}); err != nil {
		t.Fatal(err)
	}
	r.until(key, replies(1)) // else the turn tells the result
	s.open("seen")
	r.late(key)
	r.settled()
	if got := r.service.Took(plain); len(got) != 2 {
		t.Errorf("of what was seen a browser is told %+v", got)
	}
}

// TestPushRefuses proves which subscriptions are refused, and that what errand could not reach
// without harm is among them.
func TestPushRefuses(t *testing.T) {
	t.Parallel()
	r, _ := newPushRig(t)
	b := r.subscribes(false)
	for name, test := range map[string]struct {
		change map[string]any
		why    string
	}{
		"this machine":       {map[string]any{"endpoint": "https://127.0.0.1/x"}, "loopback"},
		"a private network":  {map[string]any{"endpoint": "https://192.168.1.1/x"}, "private network"},
		"a cloud's metadata": {map[string]any{"endpoint": "https://169.254.169.254/x"}, "metadata"},
		"plain HTTP":         {map[string]any{"endpoint": "http://push.example.org/x"}, "https"},
		"a long endpoint":    {map[string]any{"endpoint": "https://push.example.org/" + strings.Repeat("x", 2000)}, "longer"},
		"no endpoint":        {map[string]any{"endpoint": ""}, "there is none"},
		"a key that is none": {map[string]any{"p256dh": "AAAA"}, "p256dh"},
		"a long key":         {map[string]any{"p256dh": strings.Repeat("A", 5000)}, "p256dh"},
		"a secret of HTML":   {map[string]any{"auth": "<b>"}, "auth"},
		"another's endpoint": {map[string]any{"auth": "AAAAAAAAAAAAAAAAAAAAAA"}, "other keys"},
	} {
		in := subscriptionOf(b, false)
		for k, v := range test.change {
			in[k] = v
		}
		if status, body := r.call(http.MethodPut, "/api/me/push", in); status < 400 || status >= 500 || !strings.Contains(body, test.why) || len(body) > 800 {
			t.Errorf("%s is answered %d %s", name, status, body)
		}
	}
	if status, body := r.call(http.MethodDelete, "/api/me/push/ps-00000000", nil); status != http.StatusNotFound {
		t.Errorf("one that is not there is answered %d %s", status, body)
	}
	list, err := r.Store.PushSubscriptions(t.Context(), app.Owner)
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if status, body := r.call(http.MethodDelete, "/api/me/push/"+list[0].ID, nil); status != http.StatusOK {
		t.Errorf("to delete one is answered %d %s", status, body)
	}
}
