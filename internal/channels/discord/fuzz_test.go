package discord

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"errand/internal/commands"
	"errand/internal/intake"
)

type keeper struct{ came []intake.Inbound }

func (k *keeper) Receive(_ context.Context, in intake.Inbound) (intake.Outcome, error) {
	k.came = append(k.came, in)
	return intake.Outcome{}, nil
}

func (*keeper) Cursors(context.Context, string, string) ([]intake.Cursor, error) { return nil, nil }

func runFor(t *testing.T, o Options) (*run, *keeper, *strings.Builder) {
	t.Helper()
	k, log := &keeper{}, &strings.Builder{}
	o.Account, o.Token, o.Receiver, o.Memory, o.Logger, o.Pause, o.LongestPause = "main", "t", k, k, slog.New(slog.NewTextHandler(log, nil)), 1, 1
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(c)
	r.me.ID, r.me.Username = "1", "errand"
	return r, k, log
}

// FuzzMessage proves that whatever Discord, or who pretends to be it, tells of a
// message is read without a panic, and that no bot's is taken in.
func FuzzMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":"5","channel_id":"7","content":"<@1> hi <@2> <#3> <@&4> <a:x:5>","author":{"id":"2","username":"ana"},"mentions":[{"id":"1"},{"id":"2","global_name":"Ana"}],"guild_id":"9","type":0}`,
		`{"id":"6","channel_id":"7","content":"x","author":{"id":"3","bot":true}}`,
		`{"id":"6","channel_id":"7","content":"x","author":{"id":"3"},"type":19,"message_reference":{"message_id":"5"},"referenced_message":null,"edited_timestamp":"2026-01-01T00:00:00Z"}`,
		`{"id":"6","channel_id":"7","author":{"id":"3"},"attachments":[{"id":"1","url":"https://evil.example/x"}],"sticker_items":[{}],"components":[{"type":1,"components":[{"type":2}]}]}`,
		`{}`, `[]`, `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		r, k, log := runFor(t, Options{})
		for _, name := range []string{"MESSAGE_CREATE", "MESSAGE_UPDATE", "GUILD_CREATE", "CHANNEL_CREATE"} {
			r.event(t.Context(), frame{Name: name, Data: json.RawMessage(raw)})
		}
		r.idle()
		r.end()
		if strings.Contains(log.String(), "panic") {
			t.Error(log.String())
		}
		for _, in := range k.came {
			if in.Sender.Bot || in.Route.Chat == "" || strings.Contains(in.Text, "<@1>") {
				t.Errorf("came %+v", in)
			}
		}
	})
}

// FuzzEvent proves that no event makes us panic, in whatever goroutine it is
// handled, and that nothing it holds becomes part of an address that is no id.
func FuzzEvent(f *testing.F) {
	for name, seeds := range map[string][]string{
		"READY":               {`{"session_id":"s","resume_gateway_url":"wss://x","user":{"id":"1"},"application":{"id":"1"},"guilds":[null]}`, `{"user":null}`},
		"GUILD_CREATE":        {`{"id":"9","channels":[{"id":"7","last_message_id":"99999999999999999999"},null],"threads":[{"id":"8"}],"roles":[{"id":"4","name":"x"},null],"joined_at":"2026-01-01T00:00:00Z"}`},
		"GUILD_DELETE":        {`{"id":"9"}`, `{"id":"../9","unavailable":true}`, `null`},
		"CHANNEL_CREATE":      {`{"id":"7","type":1,"recipients":[null]}`, `{"id":"../../x","recipients":[{"id":"2"}]}`},
		"MESSAGE_CREATE":      {`{"id":"5","channel_id":"7","content":"hi","author":{"id":"2"},"mentions":[null],"attachments":[null],"components":[{"type":99}]}`},
		"MESSAGE_DELETE":      {`{"id":"5","channel_id":"7"}`, `{"id":"5","channel_id":"../7"}`},
		"MESSAGE_DELETE_BULK": {`{"ids":["5","", "6"],"channel_id":"7"}`},
		"INTERACTION_CREATE": {
			`{"id":"5","application_id":"1","type":2,"channel_id":"7","token":"t","user":{"id":"2"},"data":{"id":"3","name":"agent","type":1,"options":[null,{"name":"agent","type":3,"value":"finn"},{"name":"n","type":4,"value":-1}]}}`,
			`{"id":"5","application_id":"1","type":3,"channel_id":"7","token":"t","member":{"user":{"id":"2"}},"guild_id":"9","data":{"component_type":2,"custom_id":"#1"},"message":{"id":"6","channel_id":"7","content":"1. x","components":[{"type":1,"components":[{"type":2,"custom_id":"#1"}]}]}}`,
			`{"id":"5","application_id":"1","type":4,"channel_id":"7","token":"../../x","user":{"id":"2"},"data":{"name":"agent","options":[null]}}`,
			`{"id":"5","application_id":"1","type":2,"channel_id":"7","token":"..0","user":{"id":"2"},"data":{"id":"3","name":"agent","type":1}}`,
			`{"id":"5","type":5,"data":{"components":[]},"user":{"id":"2"}}`, `{"id":"5","type":2,"user":{"id":"2"},"data":null}`,
		},
	} {
		for _, seed := range seeds {
			f.Add(name, seed)
		}
	}
	f.Fuzz(func(t *testing.T, name, raw string) {
		r, _, log := runFor(t, Options{Suggest: &keeper{}, Client: &http.Client{Transport: everywhere{t}}, Patience: time.Minute})
		r.event(t.Context(), frame{Name: name, Data: json.RawMessage(raw)})
		r.idle()
		r.end()
		if strings.Contains(log.String(), "panic") {
			t.Error(log.String())
		}
	})
}

// A trap panics when it is asked what somebody may be about to type.
type trap struct{ keeper }

func (*trap) Suggest(context.Context, intake.Inbound, string, string) ([]commands.Suggestion, error) {
	panic("broken")
}

// TestPanicBeside proves that a panic beside the events ends only what it happens in.
func TestPanicBeside(t *testing.T) {
	r, _, log := runFor(t, Options{Suggest: &trap{}, Client: &http.Client{Transport: everywhere{t}}, Patience: time.Minute})
	r.event(t.Context(), frame{Name: "INTERACTION_CREATE", Data: json.RawMessage(
		`{"id":"5","application_id":"1","type":4,"channel_id":"7","token":"t","user":{"id":"2"},"data":{"name":"agent","options":[{"name":"agent","type":3,"value":"f","focused":true}]}}`)})
	r.idle()
	r.end()
	if !strings.Contains(log.String(), "panic=broken") {
		t.Error(log.String())
	}
}

// idle waits until no chat has anything to take in.
func (r *run) idle() {
	for busy := true; busy; {
		busy = false
		r.mu.Lock()
		for _, c := range r.chats {
			busy = busy || c.busy
		}
		r.mu.Unlock()
		runtime.Gosched()
	}
}

type everywhere struct{ t *testing.T }

func (n everywhere) RoundTrip(req *http.Request) (*http.Response, error) {
	path := req.URL.EscapedPath()
	if req.URL.Host != "discord.com" || strings.Contains(path, "..") || strings.Contains(path, "//") {
		n.t.Errorf("asked for is %s", req.URL)
	}
	body := `{}`
	if req.Method == http.MethodGet && strings.HasSuffix(path, "/messages") || strings.HasSuffix(path, "/commands") {
		body = `[]`
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
}

func (*keeper) Suggest(context.Context, intake.Inbound, string, string) ([]commands.Suggestion, error) {
	return []commands.Suggestion{{Word: "finn", About: "x"}}, nil
}
