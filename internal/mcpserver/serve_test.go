package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

const bobs = "t-b0b5task"

// A hall is a Backend with a task of somebody else's, which is there for them alone.
type hall struct {
	Backend
	changed []string      // what was done to a task
	patient time.Duration // how long it was asked to wait at most
}

func (h *hall) FindTask(_ context.Context, by service.Actor, id string, _ errand.PersonID) (errand.Task, error) {
	if by.Person != "bob" || id != bobs {
		return errand.Task{}, service.Refuse(service.KindNotFound, "not_found", "refusal.not_found", "thing", "task", "name", errand.Cut(id, 80))
	}
	return errand.Task{ID: bobs, State: errand.Working, Agents: []errand.AgentName{"sasha"}, Title: "bob's secret"}, nil
}

func (h *hall) FollowTask(ctx context.Context, by service.Actor, t *errand.Task, atMost time.Duration, _ func(*errand.Task) bool) (err error) {
	h.patient = max(h.patient, atMost)
	select {
	case <-time.After(atMost):
	case <-ctx.Done():
	}
	*t, err = h.FindTask(ctx, by, string(t.ID), "")
	return err
}

func (h *hall) note(what string) (errand.Task, error) {
	h.changed = append(h.changed, what)
	return errand.Task{ID: bobs, State: errand.Working}, nil
}

func (h *hall) CancelTask(context.Context, service.Actor, errand.TaskID, string) (errand.Task, error) {
	return h.note("canceled")
}

func (h *hall) SteerTask(context.Context, service.Actor, errand.TaskID, service.Steering) (service.Steered, error) {
	t, err := h.note("steered")
	return service.Steered{Task: t}, err
}

func (h *hall) ContinueTask(context.Context, service.Actor, errand.TaskID, service.Steering) (errand.Task, error) {
	return h.note("continued")
}

func (h *hall) Delegate(context.Context, service.Actor, service.Delegation) (errand.Task, error) {
	return h.note("delegated")
}

func (h *hall) AnswerQuestion(context.Context, service.Actor, string, service.Answer) (errand.Question, error) {
	h.changed = append(h.changed, "answered")
	return errand.Question{ID: "q-1"}, nil
}

func (*hall) AllowMessage(service.Actor, errand.Account) error { return nil }

func (*hall) CancelCall(service.Actor, string) error { return nil }

func (*hall) FollowCall(service.Actor, string, func()) (func(), error) { return func() {}, nil }

func (*hall) TaskQuestions(context.Context, service.Actor, errand.TaskID) ([]errand.Question, error) {
	return nil, nil
}

func (*hall) Tasks(context.Context, service.Actor, service.TaskFilter) ([]errand.Task, error) {
	return nil, nil
}

func (*hall) AgentsFor(context.Context, service.Actor, errand.SessionKey) ([]service.AgentView, error) {
	return nil, nil
}

func (h *hall) Files(context.Context, service.Actor, string, service.FileFilter) ([]service.File, error) {
	h.changed = append(h.changed, "listed")
	return nil, nil
}

func (h *hall) OpenFile(context.Context, service.Actor, string, string, int) (service.File, io.Reader, error) {
	h.changed = append(h.changed, "read")
	return service.File{}, strings.NewReader("bob's secret"), nil
}

func (*hall) TaskTranscript(context.Context, service.Actor, string) ([]service.AgentTranscript, error) {
	return nil, nil
}

func (*hall) RegisterAgent(_ context.Context, _ service.Actor, name errand.AgentName, _ string) (errand.AgentName, error) {
	return name, nil
}

func (*hall) RegisteredAgents(context.Context, service.Actor) ([]service.RegisteredAgent, error) {
	return nil, nil
}

func (*hall) NextRequest(context.Context, service.Actor, errand.AgentName, time.Duration) (service.Requests, error) {
	return service.Requests{}, nil
}

func (*hall) KeepRequest(context.Context, service.Actor, string) (errand.TaskID, error) {
	return "t-2", nil
}

func (*hall) AnswerRequest(context.Context, service.Actor, service.RequestAnswer) (errand.TaskID, error) {
	return "t-2", nil
}

func posted(ctx context.Context, b Backend, who errand.PersonID, kind, body string) *httptest.ResponseRecorder {
	return post(ctx, New(Options{Backend: b, Logger: slog.New(slog.DiscardHandler)}), who, kind, body)
}

func post(ctx context.Context, door *Server, who errand.PersonID, kind, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://errand.test/mcp", strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	w := httptest.NewRecorder()
	door.Serve(context.WithoutCancel(ctx), w, r, service.Actor{Person: who}) // which stays, whoever goes
	return w
}

func called(tool, args string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
}

// An archive is a Backend whose only task is completed.
type archive struct{ Backend }

func (archive) FindTask(context.Context, service.Actor, string, errand.PersonID) (errand.Task, error) {
	return errand.Task{ID: "t-1", State: errand.Completed, Result: "blue", Agents: []errand.AgentName{"sasha"}}, nil
}

// TestCompletedTask proves that the result within a completed task has the type that an
// immediate answer has: clients of the extension validate it as such an answer.
func TestCompletedTask(t *testing.T) {
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://errand.test/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t-1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
			`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`))
	for name, value := range map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tasks/get", "Mcp-Name": "t-1"} {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	New(Options{Backend: archive{}, Logger: slog.New(slog.DiscardHandler)}).Serve(t.Context(), w, r, service.Actor{Person: "mia"})
	if said := w.Body.String(); !strings.Contains(said, `"result":{"resultType":"complete","content":[`) || !strings.Contains(said, `"structuredContent":{`) {
		t.Errorf("it is answered %d %s", w.Code, said)
	}
}

// TestPrivate proves that no shared cache keeps what differs by token, and that a task without
// files has an empty list of them.
func TestPrivate(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"errand://tasks/` + bobs + `/files"}}`,
	} {
		said := posted(t.Context(), &hall{}, "bob", "application/json", body).Body.String()
		if !strings.Contains(said, `"cacheScope":"private"`) || strings.Contains(body, "/files") && !strings.Contains(said, `"text":"[]"`) {
			t.Errorf("%s is answered %s", body, said)
		}
	}
}

// TestBadBodies proves what the door says to a body that is none of the protocol's.
func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"a":`, jsonbody.MostDepth) + "1" + strings.Repeat("}", jsonbody.MostDepth)
	for _, tt := range []struct {
		name, kind, body string
		status           int
		want             string
	}{
		{"as it should be", "application/json", `{"jsonrpc":"2.0","id":7,"method":"ping"}`, 200, `"result"`},
		{"nested too deep", "application/json", called("get_task", deep), 400, "too deep"},
		{"a form", "application/x-www-form-urlencoded", called("list_tasks", "{}"), 415, "application/json"},
		{"a form of text", "text/plain", called("list_tasks", "{}"), 415, "application/json"},
		{"of a type that is none", "json", called("list_tasks", "{}"), 415, "application/json"},
		{"too long", "application/json", `"` + strings.Repeat("x", mostBody) + `"`, 413, "longer than 1 MB"},
		{"no JSON", "application/json", `{"jsonrpc"`, 400, ""},
		{"a batch", "application/json", `[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, 400, "batches"},
		{"no such tool", "application/json", called("eat", "{}"), 200, `"error":{"code":-32602`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := posted(t.Context(), &hall{}, "mia", tt.kind, tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("it is answered %d %s", w.Code, w.Body)
			}
			if told := (map[string]any{}); w.Code >= 400 && tt.want != "" && (json.Unmarshal(w.Body.Bytes(), &told) != nil || told["error"] == nil) {
				t.Errorf("it is no error of JSON-RPC: %s", w.Body)
			}
		})
	}
}

// TestUnknownMethod proves that a method which the protocol does not have is refused.
func TestUnknownMethod(t *testing.T) {
	w := posted(t.Context(), &hall{}, "mia", "application/json", `{"jsonrpc":"2.0","id":7,"method":"tools/eat"}`)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"tools/eat" unsupported`) { // the protocol's library says it
		t.Errorf("it is answered %d %s", w.Code, w.Body)
	}
}

// TestSomebodyElsesTask proves that a task of somebody else's is not there, whatever is asked
// of it, and that nothing is done to it.
func TestSomebodyElsesTask(t *testing.T) {
	read := func(uri string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"errand://tasks/` + bobs + uri + `"}}`
	}
	id := `{"task_id":"` + bobs + `"`
	for name, body := range map[string]string{
		"get": called("get_task", id+"}"), "await": called("await_task", id+`,"wait_seconds":1}`), "cancel": called("cancel_task", id+"}"),
		"steer": called("steer_task", id+`,"text":"stop"}`), "the task": read(""), "its files": read("/files"), "a file of it": read("/files/a.txt"),
	} {
		t.Run(name, func(t *testing.T) {
			b := &hall{}
			w := posted(t.Context(), b, "mia", "application/json", body)
			said := strings.ToLower(w.Body.String())
			if !strings.Contains(said, "iserror\":true") && !strings.Contains(said, "\"error\"") || strings.Contains(said, "secret") {
				t.Errorf("it is answered %d %s", w.Code, w.Body)
			}
			if len(b.changed) > 0 {
				t.Errorf("the task was %q", b.changed)
			}
		})
	}
	for _, tool := range []string{"get_task", "cancel_task"} {
		if w := posted(t.Context(), &hall{}, "bob", "application/json", called(tool, id+"}")); !strings.Contains(w.Body.String(), bobs) || strings.Contains(w.Body.String(), `"isError":true`) {
			t.Errorf("%s: its own person is answered %d %s", tool, w.Code, w.Body)
		}
	}
}

// TestWaitIsBounded proves that no call waits longer than the door does, whatever it says.
func TestWaitIsBounded(t *testing.T) {
	d := &door{Server: New(Options{Logger: slog.New(slog.DiscardHandler)})}
	for said, want := range map[int]time.Duration{-1: 0, 0: 0, 7: 7 * time.Second, 45: 45 * time.Second, 46: 45 * time.Second, 1 << 31: 45 * time.Second, 1 << 62: 45 * time.Second} {
		if got := d.patience(waits{WaitSeconds: &said}); got != want {
			t.Errorf("wait_seconds %d waits %s, want %s", said, got, want)
		}
	}
	b := &hall{}
	ctx, end := context.WithTimeout(t.Context(), 30*time.Second)
	defer end()
	w := post(ctx, New(Options{Backend: b, Logger: slog.New(slog.DiscardHandler), Wait: 50 * time.Millisecond}), "bob", "application/json",
		called("await_task", `{"task_id":"`+bobs+`","wait_seconds":3600}`))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"state":"working"`) || b.patient == 0 || b.patient > 50*time.Millisecond {
		t.Errorf("it waits %s, and is answered %d %s", b.patient, w.Code, w.Body)
	}
}

// TestClientGone proves that nothing of a call is left when its client goes away while it
// waits.
func TestClientGone(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		b := &desk{waiting: make(chan struct{}, 9), goOn: make(chan struct{})}
		ctx, leave := context.WithCancel(t.Context())
		go func() { <-b.waiting; leave() }()
		posted(ctx, b, "mia", "application/json", called("await_task", `{"task_id":"t-1"}`))
		leave()
	}
	for until := time.Now().Add(30 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines are left, of %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

func everyCall() (list []string) {
	params := []string{"", `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":"x"`, `,"params":7`, `,"params":{"_meta":null}`, `,"params":{"_meta":[]}`,
		`,"params":{"taskId":null,"inputResponses":null}`, `,"params":{"taskId":7,"inputResponses":{"q-1":null}}`, `,"params":{"name":null,"arguments":null}`,
		`,"params":{"name":[],"arguments":[]}`, `,"params":{"uri":null}`, `,"params":{"ref":null,"argument":null}`, `,"params":{"cursor":{}}`}
	for _, method := range []string{"initialize", "ping", "server/discover", "tools/list", "tools/call", "prompts/list", "prompts/get", "resources/list", "resources/read",
		"resources/templates/list", "resources/subscribe", "resources/unsubscribe", "subscriptions/listen", "completion/complete", "logging/setLevel", "tasks/get", "tasks/update",
		"tasks/cancel", "tasks/list", "tasks/result", "notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed", "x", ""} {
		for _, p := range params {
			id := `"id":1,`
			if strings.HasPrefix(method, "notifications/") {
				id = ""
			}
			list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0",%s"method":%q%s}`, id, method, p))
		}
	}
	for _, tool := range []string{"list_agents", "delegate_to_bot", "ask_team", "get_task", "await_task", "list_tasks", "steer_task", "cancel_task", "answer_question",
		"register_agent", "next_request", "answer_request", "keep_request", "x", ""} {
		for _, arguments := range []string{"null", "{}", "[]", `"x"`, `{"task_id":null,"text":null,"agents":null,"question":null}`, `{"task_id":7,"agents":{},"messages":[null],"context":[],"wait_seconds":"x"}`} {
			list = append(list, called(tool, arguments))
		}
		list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
	}
	return list
}

// A trap is a Backend that panics.
type trap struct{ hall }

func (*trap) Tasks(context.Context, service.Actor, service.TaskFilter) ([]errand.Task, error) {
	panic("broken")
}

func (*trap) FindTask(context.Context, service.Actor, string, errand.PersonID) (errand.Task, error) {
	panic("broken")
}

// TestPanics proves that a panic in a request, which the SDK handles in a goroutine of its own,
// is an internal error of the protocol and a stack in the log.
func TestPanics(t *testing.T) {
	for _, body := range []string{
		called("list_tasks", "{}"), `{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"errand://tasks/` + bobs + `"}}`,
	} {
		var log strings.Builder
		door := New(Options{Backend: &trap{}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
		w := post(t.Context(), door, "mia", "application/json", body)
		if !strings.Contains(w.Body.String(), `"code":-32603`) || strings.Contains(w.Body.String(), "broken") || !strings.Contains(log.String(), "serve_test.go") {
			t.Errorf("%s is answered %d %s, and the log is\n%s", body, w.Code, w.Body, log.String())
		}
	}
}

// TestCanceledCall proves that notifications/cancelled ends the call of the same client and
// token that waits under the id, and its task where the call has asked for that; and that the
// call of another client goes on.
func TestCanceledCall(t *testing.T) {
	for name, tt := range map[string]struct {
		session, id, args string
		ends              bool
		canceled          int
	}{
		"it":               {"one", "7", `{"task_id":"t-1","cancel_task":true}`, true, 1},
		"without its task": {"one", "7", `{"task_id":"t-1"}`, true, 0},
		"another call":     {"one", "8", `{"task_id":"t-1","cancel_task":true}`, false, 0},
		"another client":   {"two", "7", `{"task_id":"t-1","cancel_task":true}`, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := &desk{waiting: make(chan struct{}, 9), goOn: make(chan struct{})}
			door := New(Options{Backend: b, Logger: slog.New(slog.DiscardHandler)})
			send := func(session, body string) string {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://errand.test/mcp", strings.NewReader(body))
				for name, value := range map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
					"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session} {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				door.Serve(t.Context(), w, r, service.Actor{Person: "mia"})
				return w.Body.String()
			}
			answer := make(chan string, 1)
			go func() { answer <- send("one", called("await_task", tt.args)) }()
			<-b.waiting
			send(tt.session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+tt.id+`}}`)
			if !tt.ends {
				close(b.goOn)
			}
			if said := <-answer; (said == "") != tt.ends || b.canceled() != tt.canceled {
				t.Errorf("it is answered %q, and %d tasks are canceled", said, b.canceled())
			}
		})
	}
}

// FuzzServe proves that no message breaks the door, and that none reads what is somebody
// else's.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{
		called("get_task", `{"task_id":"t-1"}`), called("await_task", `{"task_id":"`+bobs+`","wait_seconds":1e9,"cancel_task":true}`),
		called("ask_team", `{"agents":["sasha"],"task":"x","policy":"quorum:3","then":{"agents":["finn"],"task":"y"}}`),
		called("delegate_to_bot", `{"agent":"sasha,finn","task":"x","messages":[{"text":"y"}],"context":{"session":"5f","n":-1}}`),
		`{"jsonrpc":"2.0","id":"a","method":"resources/read","params":{"uri":"errand://tasks/` + bobs + `/files/%2e%2e/x"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t-1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tasks/update","params":{"taskId":"t-1","inputResponses":{"q-1":{"action":"accept","content":{"answer":[]}}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"delegate","arguments":{"task":"x"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, `{"jsonrpc":"2.0","id":{},"method":7}`, `null`, ``,
	} {
		f.Add("2026-07-28", "t-1", []byte(seed))
		f.Add("2025-11-25", "", []byte(seed))
	}
	for _, body := range everyCall() {
		f.Add("2026-07-28", "t-1", []byte(body))
		f.Add("2025-11-25", "", []byte(body))
	}
	door := New(Options{Backend: &hall{}, Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, version, name string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://errand.test/mcp", strings.NewReader(string(body)))
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Name", name)
		ctx, end := context.WithCancel(t.Context())
		end() // nothing waits
		w := httptest.NewRecorder()
		door.Serve(ctx, w, r, service.Actor{Person: "mia"})
		if w.Code >= 500 || strings.Contains(w.Body.String(), "bob's secret") || strings.Contains(w.Body.String(), "fault of its own") {
			t.Fatalf("it is answered %d %s", w.Code, w.Body)
		}
	})
}
