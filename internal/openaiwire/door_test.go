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

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

// A parlour is a Backend with one conversation, in which somebody answers when they are told
// to.
type parlour struct {
	mu      sync.Mutex
	log     []errand.Event
	readers map[chan errand.Event]bool
	chat    string // of the last message
}

var _ Backend = (*parlour)(nil)

func (p *parlour) talk() service.Conversations {
	return service.Conversations{Log: p, Intake: p, Poll: 10 * time.Millisecond}
}

func (p *parlour) add(e errand.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Type != errand.EventDelta {
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

func (p *parlour) logged() []errand.Event {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.log)
}

func (p *parlour) listening() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.readers)
}

func (p *parlour) AcceptMessage(_ context.Context, _ service.Actor, _ errand.Route, m service.Message) (service.Accepted, error) {
	p.add(errand.Event{Type: errand.EventMessage, Text: m.Text, Message: m.ID})
	return service.Accepted{MessageID: m.ID}, nil
}

func (p *parlour) Converse(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (*service.Conversation, error) {
	p.chat = route.Chat
	return p.talk().Converse(ctx, by, route, m)
}

func (p *parlour) Events(_ context.Context, _ service.Actor, _ errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := p.log[min(max(0, int(after)), len(p.log)):]
	return slices.Clone(rest[:min(len(rest), limit)]), nil
}

func (p *parlour) LastEvents(ctx context.Context, by service.Actor, key errand.SessionKey, n int) ([]errand.Event, error) {
	return p.Events(ctx, by, key, int64(len(p.log)-n), n)
}

func (*parlour) EventsBefore(context.Context, service.Actor, errand.SessionKey, int64, int) ([]errand.Event, error) {
	return nil, nil
}

func (p *parlour) Subscribe(context.Context, service.Actor, errand.SessionKey) (<-chan errand.Event, func(), error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(chan errand.Event, 100)
	p.readers[c] = true
	return c, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.readers, c)
	}, nil
}

func (p *parlour) Join(ctx context.Context, by service.Actor, key errand.SessionKey) (<-chan errand.Event, func(), error) {
	return p.Subscribe(ctx, by, key)
}

func (p *parlour) MessageEvent(_ context.Context, _ service.Actor, _ errand.SessionKey, id string) (int64, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, e := range p.log {
		if e.Message == id {
			return e.ID, nil
		}
	}
	return 0, nil
}

func (p *parlour) Answers(ctx context.Context, by service.Actor, e errand.Event, key errand.SessionKey, id string) (bool, error) {
	n, err := p.MessageEvent(ctx, by, key, id)
	return e.Type == errand.EventReply && e.ID > n, err
}

func (*parlour) Live() bool { return true }

func (*parlour) AgentsFor(context.Context, service.Actor, errand.SessionKey) ([]service.AgentView, error) {
	return nil, nil
}

func (*parlour) NewSession(context.Context, service.Actor, errand.SessionKey, errand.AgentName, string) (errand.SessionID, error) {
	return "s", nil
}

func (*parlour) ClientCalls(context.Context, service.Actor, errand.SessionKey, errand.Event) (service.ClientCalls, error) {
	return service.ClientCalls{Calls: []errand.ClientCall{{ID: "c1", Name: "client__remember", Arguments: "{}"}}}, nil
}

func (*parlour) ClientCallOf(context.Context, service.Actor, string) (errand.Route, bool, error) {
	return errand.Route{}, false, service.Refuse(service.KindNotFound, "not_found", "refusal.not_there")
}

func (*parlour) TurnUsage(context.Context, service.Actor, errand.SessionID, int) (errand.Usage, error) {
	return errand.Usage{}, service.Forbidden("refusal.role")
}

func newParlour() *parlour { return &parlour{readers: map[chan errand.Event]bool{}} }

func doorTo(b Backend) *Server {
	return New(Options{Backend: b, Logger: slog.New(slog.DiscardHandler), Wait: 5 * time.Minute, HasTool: func(name string) bool { return name == "remember" },
		MaxTools: func(errand.AgentName) int { return 2 }})
}

func named(tool string) string { return `{"type":"function","name":"` + tool + `"}` }

// TestBadBodies proves what the door says to a body that is none of that API's.
func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"a":`, jsonbody.MostDepth+1) + "1" + strings.Repeat("}", jsonbody.MostDepth+1)
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
			doorTo(b).Serve(ctx, w, r, service.Actor{Person: "mia"})
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
		doorTo(b).Serve(ctx, w, r, service.Actor{Person: "mia"})
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || len(b.log) > 0 {
			t.Errorf("%s %s %s is answered %d %s, and %v is said", tt.method, tt.path, tt.body, w.Code, w.Body, b.log)
		}
	}
}

// TestNamesOfChats proves that Open WebUI's own chat is one of errand's, and that a request which
// names none has a chat that is not listed.
func TestNamesOfChats(t *testing.T) {
	for header, want := range map[string]string{"7c2d9f": "v1-7c2d9f", "": errand.UnnamedChats} {
		for path, body := range map[string]string{"/v1/chat/completions": `{"messages":[{"role":"user","content":"x"}]}`, "/v1/responses": `{"input":"x"}`} {
			b := newParlour()
			ctx, end := context.WithCancel(t.Context())
			end() // nothing waits for an answer
			r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("X-OpenWebUI-Chat-Id", header)
			doorTo(b).Serve(ctx, httptest.NewRecorder(), r, service.Actor{Person: "mia"})
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
		b.add(errand.Event{Type: errand.EventReply, Cause: errand.ToolCalls})
	}()
	doorTo(b).Serve(t.Context(), w, r, service.Actor{Person: "mia"})
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
		door.Serve(r.Context(), w, r, service.Actor{Person: "mia"})
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
			b.add(errand.Event{Type: errand.EventDelta, Text: "one, "})
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
	b.add(errand.Event{Type: errand.EventReply, Agent: "nikki", Session: "s", Turn: 2, Text: "one, two"})
	w := httptest.NewRecorder()
	door.Serve(t.Context(), w, httptest.NewRequest(http.MethodGet, "/v1/responses/"+id, nil), service.Actor{Person: "mia"})
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "one, two") {
		t.Errorf("%s is answered %d %s", id, w.Code, w.Body)
	}
}

func fuzzDoor(t *testing.T, body, id string) {
	ctx, end := context.WithCancel(t.Context())
	end() // nothing waits
	b := newParlour()
	b.log = []errand.Event{{ID: 1, Type: errand.EventMessage, Message: "m"}, {ID: 2, Type: errand.EventReply, Agent: "nikki", Text: "yes"}}
	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body)),
		httptest.NewRequest(http.MethodPost, "/v1/responses", strings.NewReader(body)),
		httptest.NewRequest(http.MethodGet, "/v1/models/x", nil),
		httptest.NewRequest(http.MethodGet, "/v1/responses/x", nil),
	} {
		r.URL.Path = strings.Replace(r.URL.Path, "/x", "/"+id, 1)
		w := httptest.NewRecorder()
		doorTo(b).Serve(ctx, w, r, service.Actor{Person: "mia"})
		if w.Code >= 500 && w.Code != http.StatusGatewayTimeout {
			t.Errorf("%s is answered %d %s", r.URL, w.Code, w.Body)
		}
	}
}
