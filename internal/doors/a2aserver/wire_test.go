package a2aserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// A desk has one task of Mia, which Sasha works on until it goes on.
type desk struct {
	asked    []core.Question
	received []api.A2AMessage
	waiting  chan struct{} // gets one when a call begins to wait
	left     chan struct{} // gets one when it waits no more
	news     int           // how often it was enough at once
}

func newDesk() *desk {
	return &desk{waiting: make(chan struct{}, 9), left: make(chan struct{}, 9)}
}

var mia = actor.Actor{Person: "mia", Role: core.Member}

func (b *desk) receive(_ context.Context, _ actor.Actor, m api.A2AMessage) (core.Task, error) {
	b.received = append(b.received, m)
	return b.task(), nil
}

func (b *desk) task() core.Task {
	t := core.Task{ID: "t-1", State: core.Working, Agents: []core.AgentName{"sasha"}, Text: "trains"}
	if len(b.asked) > 0 {
		t.State = core.InputRequired
	}
	return t
}

func (b *desk) getTask(_ context.Context, by actor.Actor, in api.A2ATaskID) (core.Task, error) {
	if in.Task != "t-1" || by.Person != mia.Person {
		return core.Task{}, service.Refuse(service.KindNotFound, "not_found", "refusal.not_there")
	}
	return b.task(), nil
}

func checkPush(p core.A2APush) error {
	if strings.Contains(p.URL, "10.0.0.1") {
		return service.Invalid("push_url", "refusal.callback", "why", "it is private")
	}
	return nil
}

func (b *desk) runner() *ops.Runner {
	r := servicetest.NewRunner()
	ops.Bind(r, api.ListAgents, func(context.Context, actor.Actor, api.ListAgentsInput) ([]api.Agent, error) {
		return []api.Agent{{Name: "nikki", Primary: true}, {Name: "sasha", Description: "night trains"}}, nil
	})
	ops.Bind(r, api.CancelTask, func(context.Context, actor.Actor, api.CancelTaskInput) (api.Task, error) {
		return api.Task{Task: b.task()}, nil
	})
	ops.Bind(r, api.GetTask, b.get)
	ops.Bind(r, api.ReceiveA2A, b.receive)
	ops.Bind(r, api.GetA2ATask, b.getTask)
	ops.Bind(r, api.ListA2ATasks, func(_ context.Context, _ actor.Actor, in api.ListA2ATasksInput) (api.A2ATaskList, error) {
		_, err := service.ParseCursor(api.ListA2ATasks.Name, in.After.After)
		return api.A2ATaskList{List: api.List[core.Task]{Items: []core.Task{b.task()}}, Total: 1}, err
	})
	ops.Bind(r, api.CheckA2APush, func(_ context.Context, _ actor.Actor, in api.A2APushInput) (api.None, error) {
		return api.None{}, checkPush(in.Push)
	})
	ops.Bind(r, api.SetA2APush, func(_ context.Context, _ actor.Actor, in api.A2APushInput) (core.A2APush, error) {
		return in.Push, checkPush(in.Push)
	})
	ops.Bind(r, api.ListA2APushes, func(context.Context, actor.Actor, api.A2ATaskID) ([]core.A2APush, error) {
		return []core.A2APush{{Task: "t-1", ID: "p1", URL: "https://r/", Scheme: "Bearer", Credentials: "secret"}}, nil
	})
	ops.Bind(r, api.DeleteA2APush, func(context.Context, actor.Actor, api.DeleteA2APushInput) (api.None, error) { return api.None{}, nil })
	ops.Bind(r, api.ListTaskQuestions, func(context.Context, actor.Actor, api.ListTaskQuestionsInput) ([]core.Question, error) {
		return b.asked, nil
	})
	ops.Bind(r, api.ListFiles, func(context.Context, actor.Actor, api.ListFilesInput) ([]core.File, error) { return nil, nil })
	return r
}

func (b *desk) get(ctx context.Context, _ actor.Actor, in api.GetTaskInput) (api.Task, error) {
	t := b.task()
	if in.Until(t) {
		if b.news++; b.news > 9 {
			return api.Task{}, errors.New("it is asked for news again and again, though there are none")
		}
		return api.Task{Task: t}, nil
	}
	b.waiting <- struct{}{}
	<-ctx.Done()
	b.left <- struct{}{}
	return api.Task{}, ctx.Err()
}

func ask(s *Server, by actor.Actor, method, path, body string, header map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, "http://errand.test"+path, strings.NewReader(body))
	for k, v := range header {
		r.Header.Set(k, v)
	}
	w := httptest.NewRecorder()
	s.Serve(context.Background(), w, r, by)
	return w
}

// TestWire proves what each kind of bad input is answered, in the form of its binding.
func TestWire(t *testing.T) {
	get := func(id string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"` + id + `"}}`
	}
	send := func(message string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{"configuration":{"returnImmediately":true},"message":` + message + `}}`
	}
	deep := `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":` + strings.Repeat(`{"a":`, 80) + `1` + strings.Repeat(`}`, 80) + `}`
	push := func(config string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"CreateTaskPushNotificationConfig","params":{"taskId":"t-1",` + config + `}}`
	}
	for _, tt := range []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		want                     []string
	}{
		{name: "a task", path: "/a2a/sasha", body: get("t-1"), status: 200, want: []string{`"id":"t-1"`, "TASK_STATE_WORKING"}},
		{name: "of the house", path: "/a2a/errand", body: get("t-1"), status: 200, want: []string{`"id":"t-1"`}},
		{name: "a method of another version", path: "/a2a/sasha", body: strings.Replace(get("t-1"), "GetTask", "tasks/get", 1), status: 400, want: []string{"-32009", `"id":7`, "version 1.0"}},
		{name: "over HTTP+JSON", method: "GET", path: "/a2a/sasha/tasks/t-1", status: 200, want: []string{"TASK_STATE_WORKING"}},
		{name: "another agent's", path: "/a2a/nikki", body: get("t-1"), status: 200, want: []string{"-32001"}},
		{name: "one that is not there", path: "/a2a/sasha", body: get("t-2"), status: 200, want: []string{"-32001", `"id":7`}},
		{name: "one that is not there, over HTTP+JSON", method: "GET", path: "/a2a/sasha/tasks/t-2", status: 404, want: []string{"TASK_NOT_FOUND"}},
		{name: "no JSON", path: "/a2a/sasha", body: `{"jsonrpc"`, status: 200, want: []string{"-32700", `"id":null`}},
		{name: "nothing", path: "/a2a/sasha", body: ``, status: 200, want: []string{"-32700"}},
		{name: "no JSON, over HTTP+JSON", path: "/a2a/sasha/message:send", body: `{`, status: 400, want: []string{`"error"`}},
		{name: "an unknown method", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"Dance"}`, status: 200, want: []string{"-32601"}},
		{name: "no method", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7}`, status: 200, want: []string{"-32600"}},
		{name: "an unknown JSON-RPC", path: "/a2a/sasha", body: `{"jsonrpc":"1.0","id":7,"method":"GetTask"}`, status: 200, want: []string{"-32600"}},
		{name: "an id that is none", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":{},"method":"GetTask"}`, status: 200, want: []string{"-32600"}},
		{name: "parameters of another type", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":[1]}`, status: 200, want: []string{"-32602"}},
		{name: "a negative history", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"historyLength":-5}}`, status: 200, want: []string{"-32602", "historyLength"}},
		{name: "a negative history, over HTTP+JSON", method: "GET", path: "/a2a/sasha/tasks?historyLength=-5", status: 400, want: []string{"historyLength"}},
		{name: "a negative history of a task", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t-1","historyLength":-1}}`, status: 200, want: []string{"-32602"}},
		{name: "no time", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"statusTimestampAfter":"-1"}}`, status: 200, want: []string{"-32602", `"id":7`, "statusTimestampAfter"}},
		{name: "a time", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"statusTimestampAfter":"2026-11-28T10:00:00Z"}}`, status: 200, want: []string{`"totalSize":1`}},
		{name: "an unknown version", path: "/a2a/sasha", body: get("t-1"), header: map[string]string{"A2A-Version": "2.0"}, status: 400, want: []string{"-32009", `"id":7`}},
		{name: "an unknown version, over HTTP+JSON", method: "GET", path: "/a2a/sasha/tasks/t-1", header: map[string]string{"A2A-Version": "2.0"}, status: 400, want: []string{"VERSION_NOT_SUPPORTED"}},
		{name: "a batch", path: "/a2a/sasha", body: "[" + get("t-1") + "]", status: 400, want: []string{"-32600", "batches"}},
		{name: "too long", path: "/a2a/sasha", body: strings.Repeat(" ", mostBody+1), status: 413, want: []string{"-32600", "1 MB"}},
		{name: "too long, over HTTP+JSON", path: "/a2a/sasha/message:send", body: strings.Repeat(" ", mostBody+1), status: 413, want: []string{"1 MB"}},
		{name: "too deep", path: "/a2a/sasha", body: deep, status: 400, want: []string{"too deep"}},
		{name: "another type", path: "/a2a/sasha", body: get("t-1"), header: map[string]string{"Content-Type": "text/plain"}, status: 415, want: []string{"application/json"}},
		{name: "another method of HTTP", method: "GET", path: "/a2a/sasha", status: 200, want: []string{"-32600"}},
		{name: "an unknown path", method: "GET", path: "/a2a/sasha/dance", status: 404},
		{name: "no message", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"SendMessage","params":{}}`, status: 200, want: []string{"-32602"}},
		{name: "a message of an agent", path: "/a2a/sasha", body: send(`{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"x"}]}`), status: 200, want: []string{"-32602", "role"}},
		{name: "a part that is null", path: "/a2a/sasha", body: send(`{"messageId":"m","role":"ROLE_USER","parts":[null]}`), status: 200, want: []string{"-32602"}},
		{name: "a part of nothing", path: "/a2a/sasha", body: send(`{"messageId":"m","role":"ROLE_USER","parts":[{}]}`), status: 200, want: []string{`"error"`}},
		{name: "a file", path: "/a2a/sasha", body: send(`{"messageId":"m","role":"ROLE_USER","parts":[{"raw":"aGk="}]}`), status: 200, want: []string{"-32005"}},
		{name: "an unknown agent", path: "/a2a/nobody", body: send(`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`), status: 200, want: []string{"-32600", "nobody"}},
		{name: "for another's task", path: "/a2a/sasha", body: send(`{"messageId":"m","taskId":"t-2","role":"ROLE_USER","parts":[{"text":"x"}]}`), status: 200, want: []string{"-32001"}},
		{name: "a page of too many", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"pageSize":1000}}`, status: 200, want: []string{"-32602"}},
		{name: "a token of no page", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"pageToken":"!"}}`, status: 200, want: []string{"-32602"}},
		{name: "a state that is none", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTasks","params":{"status":"TASK_STATE_HUNGRY"}}`, status: 200, want: []string{"-32602"}},
		{name: "a receiver", path: "/a2a/sasha", body: push(`"url":"https://r/","token":"tok","authentication":{"scheme":"Bearer","credentials":"secret"}`), status: 200, want: []string{`"url":"https://r/"`, `"token":"tok"`, `"scheme":"Bearer"`}},
		{name: "a receiver that may not be reached", path: "/a2a/sasha", body: push(`"url":"http://10.0.0.1/"`), status: 200, want: []string{"-32602"}},
		{name: "a receiver of another's task", path: "/a2a/sasha", body: strings.Replace(push(`"url":"https://r/"`), "t-1", "t-2", 1), status: 200, want: []string{"-32001"}},
		{name: "the receivers of a task", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"ListTaskPushNotificationConfigs","params":{"taskId":"t-1"}}`, status: 200, want: []string{`"id":"p1"`}},
		{name: "a receiver that is not there", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"GetTaskPushNotificationConfig","params":{"taskId":"t-1","id":"p2"}}`, status: 200, want: []string{"-32001"}},
		{name: "a receiver with a message", path: "/a2a/sasha", body: strings.Replace(send(`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}`), `"returnImmediately":true`, `"returnImmediately":true,"taskPushNotificationConfig":{"url":"http://10.0.0.1/"}`, 1), status: 200, want: []string{"-32602"}},
		{name: "the end of a stream that never began", path: "/a2a/sasha", body: `{"jsonrpc":"2.0","id":7,"method":"SubscribeToTask","params":{"id":"t-2"}}`, status: 200, want: []string{"-32001"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.method == "" {
				tt.method = http.MethodPost
			}
			w := ask(New(Options{Runner: newDesk().runner(), Logger: slog.New(slog.DiscardHandler)}), mia, tt.method, tt.path, tt.body, tt.header)
			if w.Code != tt.status {
				t.Errorf("it is answered %d, want %d: %s", w.Code, tt.status, w.Body)
			}
			for _, want := range tt.want {
				if !strings.Contains(w.Body.String(), want) {
					t.Errorf("it is answered %s, want %q in it", w.Body, want)
				}
			}
			if strings.Contains(w.Body.String(), "secret") {
				t.Errorf("credentials are told: %s", w.Body)
			}
		})
	}
	t.Run("another's task", func(t *testing.T) {
		w := ask(New(Options{Runner: newDesk().runner(), Logger: slog.New(slog.DiscardHandler)}), actor.Actor{Person: "eve"}, "POST", "/a2a/sasha", get("t-1"), nil)
		if !strings.Contains(w.Body.String(), "-32001") {
			t.Errorf("it is answered %s", w.Body)
		}
	})
}

// TestApproval proves that an approval is nobody's question at this door: its task is at work.
func TestApproval(t *testing.T) {
	b := newDesk()
	b.asked = []core.Question{{ID: "q-1", Kind: core.AsksApproval, Text: "delete?"}}
	s := New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler)})
	w := ask(s, mia, "GET", "/a2a/sasha/tasks/t-1", "", nil)
	if got := w.Body.String(); !strings.Contains(got, "TASK_STATE_WORKING") || strings.Contains(got, "q-1") || strings.Contains(got, "delete?") {
		t.Errorf("the task is %s", got)
	}
	b.asked = append(b.asked, core.Question{ID: "q-2", Kind: core.AsksPerson, Text: "Which day?", Options: []string{"Monday"}})
	w = ask(s, mia, "GET", "/a2a/sasha/tasks/t-1", "", nil)
	if got := w.Body.String(); !strings.Contains(got, "TASK_STATE_INPUT_REQUIRED") || !strings.Contains(got, `"questionId":"q-2"`) || !strings.Contains(got, "Monday") {
		t.Errorf("with a question the task is %s", got)
	}
	body := `{"message":{"messageId":"m","taskId":"t-1","role":"ROLE_USER","parts":[{"text":"Monday"},{"data":{"questionId":"q-2"}}]}}`
	if ask(s, mia, "POST", "/a2a/sasha/message:send", body, nil); len(b.received) != 1 || b.received[0].Question != "q-2" || b.received[0].Text != "Monday" || b.received[0].Agent != "sasha" {
		t.Errorf("the answer is %+v", b.received)
	}
}

// TestWaits proves what ends the wait of a message and of a stream, over each binding: the server's end, with the task as it is, and the client's, with nothing.
func TestWaits(t *testing.T) {
	message := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}`
	rpc := func(method, params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"` + method + `","params":` + params + `}`
	}
	approval := []core.Question{{ID: "q-1", Kind: core.AsksApproval, Text: "delete?"}}
	for _, tt := range []struct {
		name, path, body string
		asked            []core.Question
	}{
		{"a message", "/a2a/sasha", rpc("SendMessage", message), nil},
		{"a stream", "/a2a/sasha", rpc("SendStreamingMessage", message), nil},
		{"a message over HTTP+JSON", "/a2a/sasha/message:send", message, nil},
		{"a stream over HTTP+JSON", "/a2a/sasha/message:stream", message, nil},
		{"a stream of a task that waits for an approval", "/a2a/sasha", rpc("SubscribeToTask", `{"id":"t-1"}`), approval},
	} {
		for _, who := range []string{"server", "client"} {
			t.Run(tt.name+", ended by the "+who, func(t *testing.T) {
				b := newDesk()
				b.asked = tt.asked
				s := New(Options{Runner: b.runner(), Logger: slog.New(slog.DiscardHandler)})
				stopping, stop := context.WithCancel(t.Context())
				there, leave := context.WithCancel(t.Context())
				defer stop()
				defer leave()
				go func() {
					<-b.waiting
					map[string]func(){"server": stop, "client": leave}[who]()
				}()
				r := httptest.NewRequest(http.MethodPost, "http://errand.test"+tt.path, strings.NewReader(tt.body)).WithContext(there)
				w := httptest.NewRecorder()
				s.Serve(stopping, w, r, mia)
				select {
				case <-b.left:
				case <-time.After(20 * time.Second):
					t.Fatalf("it does not wait: %d %s", w.Code, w.Body)
				}
				if has := strings.Contains(w.Body.String(), "t-1"); !has && (who == "server" || strings.Contains(tt.name, "stream")) {
					t.Errorf("it is answered %d %s", w.Code, w.Body)
				}
			})
		}
	}
}

// FuzzServe proves that no request breaks the door.
func FuzzServe(f *testing.F) {
	f.Add("/a2a/sasha", "", []byte(`{"jsonrpc":"2.0","id":7,"method":"GetTask","params":{"id":"t-1"}}`))
	f.Add("/a2a/sasha", "1.0.0", []byte(`{"jsonrpc":"2.0","id":"a","method":"GetTask","params":{"id":"t-1"}}`))
	f.Add("/a2a/errand/message:send", "1.0", []byte(`{"configuration":{"returnImmediately":true},"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"\"}"},{"data":{"questionId":"q-1"}}]}}`))
	f.Add("/a2a/sasha/tasks/t-1/pushNotificationConfigs", "", []byte(`{"url":"https://r"}`))
	f.Add("/a2a//", "9", []byte(`[[[[]]]]`))
	params := []string{"", `,"params":null`, `,"params":{}`, `,"params":[]`, `,"params":"x"`, `,"params":{"id":null,"message":null,"metadata":null}`,
		`,"params":{"id":7,"taskId":[],"message":{"parts":[null]},"pushNotificationConfig":null,"configuration":null}`}
	for _, method := range []string{"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask", "CreateTaskPushNotificationConfig",
		"GetTaskPushNotificationConfig", "ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig", "GetExtendedAgentCard",
		"message/send", "x", ""} {
		for _, p := range params {
			f.Add("/a2a/sasha", "", fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":%q%s}`, method, p))
		}
	}
	for _, path := range []string{"message:send", "message:stream", "tasks/t-1:cancel", "tasks/t-1:subscribe", "tasks/t-1/pushNotificationConfigs", "tasks/", "extendedAgentCard"} {
		for _, body := range []string{"", "null", "{}", "[]", `"x"`, `{"message":null,"configuration":null}`, `{"message":{"parts":[null],"messageId":7}}`} {
			f.Add("/a2a/sasha/"+path, "", []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, path, version string, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://errand.test/", strings.NewReader(string(body)))
		r.URL.Path = Path + strings.TrimPrefix(path, Path)
		r.Header.Set("A2A-Version", version)
		ctx, end := context.WithCancel(t.Context())
		end() // nothing waits
		w := httptest.NewRecorder()
		New(Options{Runner: newDesk().runner(), Logger: slog.New(slog.DiscardHandler)}).Serve(ctx, w, r, mia)
		if w.Code >= 500 && w.Code != http.StatusNotImplemented {
			t.Fatalf("it is answered %d %s", w.Code, w.Body)
		}
	})
}
