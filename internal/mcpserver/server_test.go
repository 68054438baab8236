package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/service"
)

// A desk is a Backend with one task, which waits for an approval until it goes on.
type desk struct {
	Backend
	waiting chan struct{} // gets one when a call begins to wait
	goOn    chan struct{}

	mu     sync.Mutex
	calls  map[string]func() // that wait, by their ids
	killed int
}

func (b *desk) FollowCall(_ service.Actor, id string, canceled func()) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls == nil {
		b.calls = map[string]func(){}
	}
	b.calls[id] = canceled
	return func() {}, nil
}

func (b *desk) CancelCall(_ service.Actor, id string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if canceled := b.calls[id]; canceled != nil {
		canceled()
	}
	return nil
}

func (b *desk) CancelTask(context.Context, service.Actor, errand.TaskID, string) (errand.Task, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.killed++
	return errand.Task{ID: "t-1", State: errand.Canceled}, nil
}

func (b *desk) canceled() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.killed
}

func (*desk) FindTask(context.Context, service.Actor, string, errand.PersonID) (errand.Task, error) {
	return errand.Task{ID: "t-1", State: errand.InputRequired, Agents: []errand.AgentName{"sasha"}}, nil
}

func (*desk) TaskQuestions(context.Context, service.Actor, errand.TaskID) ([]errand.Question, error) {
	return []errand.Question{{ID: "q-1", Kind: errand.AsksApproval, Task: "t-1", Agent: "sasha", Text: "delete?"}}, nil
}

func (b *desk) FollowTask(ctx context.Context, by service.Actor, t *errand.Task, _ time.Duration, enough func(*errand.Task) bool) error {
	if *t, _ = b.FindTask(ctx, by, string(t.ID), ""); enough(t) {
		return nil
	}
	b.waiting <- struct{}{}
	select {
	case <-b.goOn:
		t.State, t.Result = errand.Completed, "deleted"
	case <-ctx.Done():
	}
	return ctx.Err()
}

// TestAwait proves that a call waits for a task whose approval a person gives, and that it
// answers with the task as it is when the server is about to end.
func TestAwait(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(b *desk, stop func())
		want []string
	}{
		{"approved", func(b *desk, _ func()) { close(b.goOn) }, []string{"completed", "deleted"}},
		{"stopping", func(_ *desk, stop func()) { stop() }, []string{"input_required", "q-1", "do not answer it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &desk{waiting: make(chan struct{}, 9), goOn: make(chan struct{})}
			stopping, stop := context.WithCancel(t.Context())
			door := New(Options{Backend: b, Logger: slog.New(slog.DiscardHandler)})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { door.Serve(stopping, w, r, service.Actor{}) }))
			defer server.Close()
			session, err := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, nil).Connect(t.Context(),
				&mcp.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			go func() { <-b.waiting; tt.then(b, stop) }()
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "await_task", Arguments: map[string]any{"task_id": "t-1"}})
			if err != nil {
				t.Fatal(err)
			}
			text := got.Content[0].(*mcp.TextContent).Text
			for _, want := range tt.want {
				if !strings.Contains(text, want) {
					t.Errorf("the call is answered %q, want %q in it", text, want)
				}
			}
		})
	}
}

// TestRefused proves that what is no call is refused as the protocol says it.
func TestRefused(t *testing.T) {
	door := New(Options{Backend: &desk{}, Logger: slog.New(slog.DiscardHandler)})
	for _, tt := range []struct {
		name, body, want string
		status           int
	}{
		{"a batch", ` [{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, "batches", http.StatusBadRequest},
		{"too long", strings.Repeat(" ", mostBody+1), "1 MB", http.StatusRequestEntityTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			door.Serve(t.Context(), w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(tt.body)), service.Actor{})
			var said struct {
				Version string `json:"jsonrpc"`
				Error   struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			raw, err := io.ReadAll(w.Body)
			if err == nil {
				err = json.Unmarshal(raw, &said)
			}
			if err != nil || w.Code != tt.status || said.Version != "2.0" || said.Error.Code != invalidRequest || !strings.Contains(said.Error.Message, tt.want) {
				t.Errorf("it is answered %d %s, %v", w.Code, raw, err)
			}
		})
	}
}
