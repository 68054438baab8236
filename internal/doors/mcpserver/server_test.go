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

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/servicetest"
)

// A desk has one task, which waits for an approval until it goes on.
type desk struct {
	waiting chan struct{} // gets one when a call begins to wait
	goOn    chan struct{}

	mu     sync.Mutex
	calls  map[string]func() // that wait, by their ids
	killed int
}

func (b *desk) followCall(_ context.Context, _ actor.Actor, in api.FollowCallInput) (func(), error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.calls == nil {
		b.calls = map[string]func(){}
	}
	b.calls[in.ID] = in.Canceled
	return func() {}, nil
}

func (b *desk) cancelCall(_ context.Context, _ actor.Actor, in api.CallID) (api.None, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if canceled := b.calls[in.ID]; canceled != nil {
		canceled()
	}
	return api.None{}, nil
}

// runner runs the operations that the door uses.
func (b *desk) runner() *ops.Runner {
	r := servicetest.NewRunner()
	ops.Bind(r, api.CancelTask, func(context.Context, actor.Actor, api.CancelTaskInput) (api.Task, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.killed++
		return api.Task{Task: core.Task{ID: "t-1", State: core.Canceled}}, nil
	})
	ops.Bind(r, api.GetTask, b.get)
	ops.Bind(r, api.FollowCall, b.followCall)
	ops.Bind(r, api.CancelCall, b.cancelCall)
	ops.Bind(r, api.ListTaskQuestions, func(context.Context, actor.Actor, api.ListTaskQuestionsInput) ([]core.Question, error) {
		return []core.Question{{ID: "q-1", Kind: core.AsksApproval, Task: "t-1", Agent: "sasha", Text: "delete?"}}, nil
	})
	return r
}

func (b *desk) canceled() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.killed
}

func (b *desk) get(ctx context.Context, _ actor.Actor, in api.GetTaskInput) (api.Task, error) {
	t := core.Task{ID: "t-1", State: core.InputRequired, Agents: []core.AgentName{"sasha"}}
	if in.AtMost == 0 || in.Until(t) {
		return api.Task{Task: t}, nil
	}
	b.waiting <- struct{}{}
	select {
	case <-b.goOn:
		t.State, t.Result = core.Completed, "deleted"
	case <-ctx.Done():
	}
	return api.Task{Task: t}, ctx.Err()
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
			door := New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler)})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { door.Serve(stopping, w, r, actor.Actor{}) }))
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
	door := New(Options{Runner: (&desk{}).runner(), Logger: slog.New(slog.DiscardHandler)})
	for _, tt := range []struct {
		name, body, want string
		status           int
	}{
		{"a batch", ` [{"jsonrpc":"2.0","id":1,"method":"tools/list"}]`, "batches", http.StatusBadRequest},
		{"too long", strings.Repeat(" ", mostBody+1), "1 MB", http.StatusRequestEntityTooLarge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			door.Serve(t.Context(), w, httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(tt.body)), actor.Actor{})
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
