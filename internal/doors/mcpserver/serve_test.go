package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

const bobs = "t-b0b5task"

// A hall has a task of bob, which other people cannot see.
type hall struct {
	changed []string      // what was done to a task
	patient time.Duration // how long it was asked to wait at most
}

func (h *hall) find(by actor.Actor, id string) (core.Task, error) {
	if by.Person != "bob" || id != bobs {
		return core.Task{}, service.Refuse(service.KindNotFound, "not_found", "refusal.not_found", "thing", "task", "name", core.Cut(id, 80))
	}
	return core.Task{ID: bobs, State: core.Working, Agents: []core.AgentName{"sasha"}, Title: "bob's secret"}, nil
}

func (h *hall) get(ctx context.Context, by actor.Actor, in api.GetTaskInput) (api.Task, error) {
	h.patient = max(h.patient, in.AtMost)
	select {
	case <-time.After(in.AtMost):
	case <-ctx.Done():
	}
	t, err := h.find(by, in.ID)
	return api.Task{Task: t}, err
}

func (h *hall) note(what string) (core.Task, error) {
	h.changed = append(h.changed, what)
	return core.Task{ID: bobs, State: core.Working}, nil
}

func (h *hall) runner() *ops.Runner {
	r := servicetest.NewRunner()
	ops.Bind(r, api.ListAgents, func(context.Context, actor.Actor, api.ListAgentsInput) ([]api.Agent, error) { return nil, nil })
	change := func(by actor.Actor, in api.TaskRef, what string) (api.Task, error) {
		t, err := h.find(by, in.ID)
		if err == nil {
			t, err = h.note(what)
		}
		return api.Task{Task: t}, err
	}
	ops.Bind(r, api.CancelTask, func(_ context.Context, by actor.Actor, in api.CancelTaskInput) (api.Task, error) {
		return change(by, in.TaskRef, "canceled")
	})
	ops.Bind(r, api.SteerTask, func(_ context.Context, by actor.Actor, in api.SteerTaskInput) (api.Task, error) {
		return change(by, in.TaskRef, "steered")
	})
	ops.Bind(r, api.GetTask, h.get)
	ops.Bind(r, api.FollowCall, func(context.Context, actor.Actor, api.FollowCallInput) (func(), error) { return func() {}, nil })
	ops.Bind(r, api.CancelCall, func(context.Context, actor.Actor, api.CallID) (api.None, error) { return api.None{}, nil })
	ops.Bind(r, api.CreateTask, func(_ context.Context, _ actor.Actor, in api.CreateTaskInput) (api.Task, error) {
		t, err := h.note("delegated to " + in.Body.DeliverTo)
		return api.Task{Task: t}, err
	})
	ops.Bind(r, api.ListTaskQuestions, func(context.Context, actor.Actor, api.ListTaskQuestionsInput) ([]core.Question, error) {
		return nil, nil
	})
	ops.Bind(r, api.AnswerQuestion, func(context.Context, actor.Actor, api.AnswerQuestionInput) (api.Question, error) {
		h.changed = append(h.changed, "answered")
		return api.Question{Question: core.Question{ID: "q-1"}}, nil
	})
	ops.Bind(r, api.ListTasks, func(context.Context, actor.Actor, api.ListTasksInput) (api.List[api.Task], error) {
		return api.List[api.Task]{}, nil
	})
	ops.Bind(r, api.GetTaskTranscript, func(context.Context, actor.Actor, api.TranscriptInput) ([]api.AgentTranscript, error) {
		return nil, nil
	})
	ops.Bind(r, api.ListFiles, func(context.Context, actor.Actor, api.ListFilesInput) ([]core.File, error) {
		h.changed = append(h.changed, "listed")
		return nil, nil
	})
	ops.Bind(r, api.GetFile, func(context.Context, actor.Actor, api.GetFileInput) (api.File, error) {
		h.changed = append(h.changed, "read")
		return api.File{Reader: strings.NewReader("bob's secret")}, nil
	})
	ops.Bind(r, api.RegisterAgent, func(_ context.Context, _ actor.Actor, in api.RegisterAgentInput) (core.AgentName, error) {
		return in.Name, nil
	})
	ops.Bind(r, api.ListRegisteredAgents, func(context.Context, actor.Actor, api.None) ([]core.RegisteredAgent, error) { return nil, nil })
	ops.Bind(r, api.NextRequest, func(context.Context, actor.Actor, api.NextRequestInput) (*api.AgentRequest, error) { return nil, nil })
	ops.Bind(r, api.AnswerRequest, func(context.Context, actor.Actor, api.AnswerRequestInput) (core.TaskID, error) { return "t-2", nil })
	return r
}

func posted(ctx context.Context, b interface{ runner() *ops.Runner }, who core.PersonID, kind, body string) *httptest.ResponseRecorder {
	return post(ctx, New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler)}), who, kind, body)
}

func post(ctx context.Context, door *Server, who core.PersonID, kind, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://errand.test/mcp", strings.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Mcp-Protocol-Version", "2025-11-25")
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	w := httptest.NewRecorder()
	door.Serve(context.WithoutCancel(ctx), w, r, actor.Actor{Person: who}) // which stays, whoever goes
	return w
}

func called(tool, args string) string {
	return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + args + `}}`
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
	runner := servicetest.NewRunner()
	ops.Bind(runner, api.GetTask, func(context.Context, actor.Actor, api.GetTaskInput) (api.Task, error) {
		return api.Task{Task: core.Task{ID: "t-1", State: core.Completed, Result: "blue", Agents: []core.AgentName{"sasha"}}}, nil
	})
	New(Options{Runner: runner, Logger: slog.New(slog.DiscardHandler)}).Serve(t.Context(), w, r, actor.Actor{Person: "mia"})
	if said := w.Body.String(); !strings.Contains(said, `"result":{"resultType":"complete","content":[`) || !strings.Contains(said, `"structuredContent":{`) {
		t.Errorf("it is answered %d %s", w.Code, said)
	}
}

// TestPrivate proves that no shared cache keeps what differs by token, and that a task without
// files has an empty list of them.
func TestPrivate(t *testing.T) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":7,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"errand://tasks/` + bobs + `"}}`,
	} {
		said := posted(t.Context(), &hall{}, "bob", "application/json", body).Body.String()
		if !strings.Contains(said, `"cacheScope":"private"`) || strings.Contains(body, "/files") && !strings.Contains(said, `"text":"[]"`) {
			t.Errorf("%s is answered %s", body, said)
		}
	}
}

// TestBadBodies proves what the door says to a body that is none of the protocol's.
func TestBadBodies(t *testing.T) {
	deep := strings.Repeat(`{"a":`, content.MaxJSONDepth) + "1" + strings.Repeat("}", content.MaxJSONDepth)
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

// TestDeliverTo proves that the chat in which a result is to be told reaches the service, which
// decides whether it may be.
func TestDeliverTo(t *testing.T) {
	b := &hall{}
	w := posted(t.Context(), b, "bob", "application/json", called("delegate_to_bot", `{"agent":"finn","task":"trains","deliver_to":"telegram/workshop/7","wait_seconds":0}`))
	if len(b.changed) != 1 || b.changed[0] != "delegated to telegram/workshop/7" {
		t.Errorf("the task was %q, answered %s", b.changed, w.Body)
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
	w := post(ctx, New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler), Wait: 50 * time.Millisecond}), "bob", "application/json",
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
		"register_agent", "next_request", "answer_request", "x", ""} {
		for _, arguments := range []string{"null", "{}", "[]", `"x"`, `{"task_id":null,"text":null,"agents":null,"question":null}`, `{"task_id":7,"agents":{},"messages":[null],"context":[],"wait_seconds":"x"}`} {
			list = append(list, called(tool, arguments))
		}
		list = append(list, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q}}`, tool))
	}
	return list
}

// TestPanics proves that a panic in a request, which the SDK handles in a goroutine of its own,
// is an internal error and a stack in the log, in the door and in an operation.
func TestPanics(t *testing.T) {
	for body, want := range map[string]string{
		called("delegate_to_bot", `{"agent":"sasha","task":"trains"}`):                                      `"code":-32603`,
		`{"jsonrpc":"2.0","id":7,"method":"resources/read","params":{"uri":"errand://tasks/` + bobs + `"}}`: "because of an internal error",
	} {
		var log strings.Builder
		b := &hall{}
		runner := b.runner()
		runner.Log = slog.New(slog.NewTextHandler(&log, nil))
		ops.Bind(runner, api.ListTaskQuestions, func(context.Context, actor.Actor, api.ListTaskQuestionsInput) ([]core.Question, error) {
			panic("broken")
		})
		ops.Bind(runner, api.CreateTask, func(context.Context, actor.Actor, api.CreateTaskInput) (api.Task, error) {
			runner.Log = nil // so that the panic leaves the runner
			panic("broken")
		})
		door := New(Options{Runner: runner, Logger: runner.Log})
		w := post(t.Context(), door, "bob", "application/json", body)
		if !strings.Contains(w.Body.String(), want) || strings.Contains(w.Body.String(), "broken") || !strings.Contains(log.String(), "serve_test.go") {
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
			door := New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler)})
			send := func(session, body string) string {
				r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://errand.test/mcp", strings.NewReader(body))
				for name, value := range map[string]string{"Accept": "application/json, text/event-stream", "Content-Type": "application/json",
					"Mcp-Protocol-Version": "2025-11-25", "Mcp-Session-Id": session} {
					r.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				door.Serve(t.Context(), w, r, actor.Actor{Person: "mia"})
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
	door := New(Options{Runner: (&hall{}).runner(), Logger: slog.New(slog.DiscardHandler)})
	f.Fuzz(func(t *testing.T, version, name string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://errand.test/mcp", strings.NewReader(string(body)))
		r.Header.Set("Accept", "application/json, text/event-stream")
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Protocol-Version", version)
		r.Header.Set("Mcp-Name", name)
		ctx, end := context.WithCancel(t.Context())
		end() // nothing waits
		w := httptest.NewRecorder()
		door.Serve(ctx, w, r, actor.Actor{Person: "mia"})
		if w.Code >= 500 || strings.Contains(w.Body.String(), "bob's secret") || strings.Contains(w.Body.String(), "because of an internal error") {
			t.Fatalf("it is answered %d %s", w.Code, w.Body)
		}
	})
}
