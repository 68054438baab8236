package openaiwire

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/ops"
	"errand/internal/service"
)

// A parlour has one conversation, in which an agent answers when a test says so.
type parlour struct {
	mu      sync.Mutex
	log     []core.Event
	readers map[chan core.Event]bool
	chat    string // of the last message
}

func (p *parlour) runner() *ops.Runner {
	env := &service.Env{Rights: api.Rights(), Logger: slog.New(slog.DiscardHandler)}
	r := service.NewRunner(env, nil)
	(&service.Messages{Env: env, Intake: p, Log: p, Bus: p, Poll: 10 * time.Millisecond}).Bind(r)
	return r
}

func (p *parlour) add(e core.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Type != core.EventDelta {
		e.ID = int64(len(p.log) + 1)
		p.log = append(p.log, e)
	}
	for c := range p.readers {
		select {
		case c <- e:
		default:
		}
	}
}

func (p *parlour) logged() []core.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log)
}

func (p *parlour) listening() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.readers)
}

func (p *parlour) AcceptMessage(_ context.Context, _ actor.Actor, route core.Route, m api.SendMessageInput) (api.MessageReceipt, error) {
	p.chat = route.Chat
	p.add(core.Event{Type: core.EventMessage, Text: m.Body.Text, Message: m.Body.MessageID})
	return api.MessageReceipt{MessageID: m.Body.MessageID}, nil
}

func (p *parlour) Events(_ context.Context, _ core.SessionKey, after int64, limit int) ([]core.Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := p.log[min(max(0, int(after)), len(p.log)):]
	return slices.Clone(rest[:min(len(rest), limit)]), nil
}

func (*parlour) LastEvents(context.Context, core.SessionKey, int64, int) ([]core.Event, error) {
	return nil, nil
}

func (p *parlour) Subscribe(core.SessionKey) (<-chan core.Event, func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan core.Event, 100)
	p.readers[c] = true
	return c, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.readers, c)
	}
}

func (p *parlour) Join(key core.SessionKey) (<-chan core.Event, func()) { return p.Subscribe(key) }

func (*parlour) SubscribeLists(core.PersonID) (<-chan events.Lists, func()) { return nil, func() {} }

func (p *parlour) MessageEvent(_ context.Context, _ core.SessionKey, id string) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.log {
		if e.Message == id {
			return e.ID, nil
		}
	}
	return 0, nil
}

func (*parlour) TurnOfMessage(context.Context, core.SessionKey, string) (core.Owner, int, bool, error) {
	return "", 0, true, nil
}

func (*parlour) Live() bool { return true }

var mia = actor.Actor{Person: "mia", Role: core.Member}

func newParlour() *parlour { return &parlour{readers: map[chan core.Event]bool{}} }

func doorTo(b *parlour) *Server {
	r := b.runner()
	ops.Bind(r, api.ListAgents, func(context.Context, actor.Actor, api.ListAgentsInput) ([]api.Agent, error) { return nil, nil })
	ops.Bind(r, api.GetTurnUsage, func(context.Context, actor.Actor, api.TurnUsageInput) (*core.Usage, error) { return nil, nil })
	ops.Bind(r, api.GetClientCalls, func(context.Context, actor.Actor, api.ClientCallsInput) (api.ClientCalls, error) {
		return api.ClientCalls{Calls: []core.ClientCall{{ID: "c1", Name: "client__remember", Arguments: "{}"}}}, nil
	})
	ops.Bind(r, api.FindClientCall, func(context.Context, actor.Actor, api.FindClientCallInput) (api.FoundClientCall, error) {
		return api.FoundClientCall{}, service.Refuse(service.KindNotFound, "not_found", "refusal.not_there")
	})
	return New(Options{Runner: r, Logger: slog.New(slog.DiscardHandler), Wait: 5 * time.Minute, HasTool: func(name string) bool { return name == "remember" },
		MaxTools: func(core.AgentName) int { return 2 }})
}

func named(tool string) string { return `{"type":"function","name":"` + tool + `"}` }

// TestBadBodies proves what the door says to a body that is none of that API's.
func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"a":`, content.MaxJSONDepth+1) + "1" + strings.Repeat("}", content.MaxJSONDepth+1)
	for name, tt := range map[string]struct {
		kind, body string
		status     int
		want       string
	}{
		"nested too deep": {"application/json", `{"messages":[{"role":"user","content":"x"}],"metadata":` + deep + `}`, http.StatusBadRequest, "too deep"},
		"too many tools":  {"application/json", `{"messages":[{"role":"user","content":"x"}],"input":"x","tools":[` + named("a") + "," + named("b") + "," + named("c") + `]}`, http.StatusBadRequest, "there are 3 tools; the model of this agent takes 2"},
		"a form":          {"application/x-www-form-urlencoded", `{"messages":[{"role":"user","content":"x"}]}`, http.StatusUnsupportedMediaType, "unsupported_media_type"},
		"a form of text":  {"text/plain", `{"messages":[{"role":"user","content":"x"}]}`, http.StatusUnsupportedMediaType, "application/json"},
	} {
		for _, path := range []string{"/v1/chat/completions", "/v1/responses"} {
			b := newParlour()
			ctx, end := context.WithCancel(t.Context())
			end() // nothing waits for an answer
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(tt.body))
			r.Header.Set("Content-Type", tt.kind)
			w := httptest.NewRecorder()
			doorTo(b).Serve(ctx, w, r, mia)
			var said struct {
				Error struct{ Message, Type, Code string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != tt.status || said.Error.Type != "invalid_request_error" || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%s: %s answers %d %s", name, path, w.Code, w.Body)
			}
			if len(b.log) > 0 {
				t.Errorf("%s: %s has said %v", name, path, b.log)
			}
		}
	}
}

// TestNotInBackground proves that a request for a response in the background is refused with
// what to use instead, that a stored one is not streamed, and that none can be cancelled.
func TestNotInBackground(t *testing.T) {
	for _, tt := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{http.MethodPost, "/v1/responses", `{"input":"x","background":true}`, http.StatusBadRequest, "POST /api/tasks"},
		{http.MethodPost, "/v1/responses", `{"input":"x","background":true,"stream":true}`, http.StatusBadRequest, "POST /api/tasks"},
		{http.MethodGet, "/v1/responses/resp_bQ_1?stream=true", "", http.StatusBadRequest, "leave stream out"},
		{http.MethodPost, "/v1/responses/resp_bQ_1/cancel", "", http.StatusNotFound, "unknown_url"},
	} {
		b := newParlour()
		ctx, end := context.WithCancel(t.Context())
		end() // nothing waits for an answer
		r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		doorTo(b).Serve(ctx, w, r, mia)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || len(b.log) > 0 {
			t.Errorf("%s %s %s is answered %d %s, and %v is said", tt.method, tt.path, tt.body, w.Code, w.Body, b.log)
		}
	}
}

// TestNamesOfChats proves that Open WebUI's own chat is one of errand's, and that a request which
// names none has a chat that is not listed.
func TestNamesOfChats(t *testing.T) {
	for header, want := range map[string]string{"7c2d9f": "v1-7c2d9f", "": core.UnnamedChats} {
		for path, body := range map[string]string{"/v1/chat/completions": `{"messages":[{"role":"user","content":"x"}]}`, "/v1/responses": `{"input":"x"}`} {
			b := newParlour()
			ctx, end := context.WithCancel(t.Context())
			end() // nothing waits for an answer
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-OpenWebUI-Chat-Id", header)
			doorTo(b).Serve(ctx, httptest.NewRecorder(), r, mia)
			if !strings.HasPrefix(b.chat, want) {
				t.Errorf("%s with %q is in the chat %q", path, header, b.chat)
			}
		}
	}
}

// TestOwnNames proves that a client reads its tools' own names in calls, and no usage where its
// token may not know it.
func TestOwnNames(t *testing.T) {
	b := newParlour()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"remember"}}]}`))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	go func() {
		for b.listening() == 0 || len(b.logged()) == 0 {
			runtime.Gosched()
		}
		b.add(core.Event{Type: core.EventReply, Cause: core.ToolCalls})
	}()
	doorTo(b).Serve(t.Context(), w, r, mia)
	if said := w.Body.String(); !strings.Contains(said, `"name":"remember"`) || !strings.Contains(said, `"usage":null`) {
		t.Errorf("it is answered %d %s", w.Code, said)
	}
}

// TestClientGone proves that when a client goes away in the middle of a stream nobody listens
// for it any more, and nothing of its request is left; and that the response is there when it
// asks for it again.
func TestClientGone(t *testing.T) {
	b := newParlour()
	door := doorTo(b)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		door.Serve(r.Context(), w, r, mia)
	}))
	defer server.Close()
	before := runtime.NumGoroutine()
	var id string
	for _, request := range []struct{ path, body string }{
		{"/v1/chat/completions", `{"stream":true,"user":"mia","messages":[{"role":"user","content":"count"}]}`},
		{"/v1/responses", `{"stream":true,"user":"mia","input":"count"}`},
	} {
		ctx, leave := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+request.path, strings.NewReader(request.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		client := &http.Client{Transport: &http.Transport{}}
		said := make(chan struct{})
		go func() { // once it listens
			defer close(said)
			for ctx.Err() == nil && b.listening() == 0 {
				time.Sleep(time.Millisecond)
			}
			b.add(core.Event{Type: core.EventDelta, Text: "one, "})
		}()
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		heard := false
		for lines := bufio.NewScanner(answer.Body); !heard && lines.Scan(); {
			if _, rest, ok := strings.Cut(lines.Text(), `"id":"resp_`); ok && id == "" {
				id, _, _ = strings.Cut("resp_"+rest, `"`)
			}
			heard = strings.Contains(lines.Text(), "one, ")
		}
		<-said
		if !heard {
			t.Fatalf("%s brings nothing of the answer", request.path)
		}
		leave()
		answer.Body.Close()
		client.CloseIdleConnections()
		for until := time.Now().Add(30 * time.Second); b.listening() > 0 || runtime.NumGoroutine() > before+1; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(until) {
				stacks := make([]byte, 1<<16)
				t.Fatalf("%d still listen, and %d goroutines are left of %d before:\n%s", b.listening(), runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
			}
		}
	}
	b.add(core.Event{Type: core.EventReply, Agent: "nikki", Session: "s", Turn: 2, Text: "one, two"})
	w := httptest.NewRecorder()
	door.Serve(t.Context(), w, httptest.NewRequest(http.MethodGet, "/v1/responses/"+id, nil), mia)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "one, two") {
		t.Errorf("%s is answered %d %s", id, w.Code, w.Body)
	}
}

func fuzzDoor(t *testing.T, body, id string) {
	ctx, end := context.WithCancel(t.Context())
	end() // nothing waits
	b := newParlour()
	b.log = []core.Event{{ID: 1, Type: core.EventMessage, Message: "m"}, {ID: 2, Type: core.EventReply, Agent: "nikki", Text: "yes"}}
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)),
		httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)),
		httptest.NewRequest(http.MethodGet, "/v1/models/x", nil),
		httptest.NewRequest(http.MethodGet, "/v1/responses/x", nil),
	} {
		r.URL.Path = strings.Replace(r.URL.Path, "/x", "/"+id, 1)
		w := httptest.NewRecorder()
		doorTo(b).Serve(ctx, w, r, mia)
		if w.Code >= 500 && w.Code != http.StatusGatewayTimeout {
			t.Errorf("%s is answered %d %s", r.URL, w.Code, w.Body)
		}
	}
}
