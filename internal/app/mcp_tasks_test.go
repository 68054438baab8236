package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/ownerkey"
)

// A tasksClient speaks the extension for tasks as a client does that knows it.
type tasksClient struct {
	in       *installation
	key      bearer
	declares bool // the extension, with each request
}

type tasksAnswer struct {
	Status int `json:"-"` // of HTTP
	Result struct {
		ResultType    string                     `json:"resultType"`
		ID            string                     `json:"taskId"`
		Status        string                     `json:"status"`
		Created       string                     `json:"createdAt"`
		Updated       string                     `json:"lastUpdatedAt"`
		TTL           int64                      `json:"ttlMs"`
		Poll          int64                      `json:"pollIntervalMs"`
		InputRequests map[string]json.RawMessage `json:"inputRequests"`
		Result        *struct {
			ResultType string `json:"resultType"`
			Content    []struct {
				Text string `json:"text"`
			} `json:"content"`
			IsError bool `json:"isError"`
		} `json:"result"`
		Capabilities struct {
			Extensions map[string]json.RawMessage `json:"extensions"`
		} `json:"capabilities"`
	} `json:"result"`
	Error struct {
		Code int             `json:"code"`
		Data json.RawMessage `json:"data"`
	} `json:"error"`
}

func (c tasksClient) ask(method, name string, params map[string]any) (got tasksAnswer) {
	t := c.in.t
	t.Helper()
	can := map[string]any{}
	if c.declares {
		can["extensions"] = map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}
	}
	params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": can}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+c.in.Address+"/mcp", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Mcp-Protocol-Version": "2026-07-28",
		"Mcp-Method": method, "Mcp-Name": name} {
		req.Header.Set(k, v)
	}
	resp, err := c.key.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw := new(bytes.Buffer)
	if _, err := raw.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	said := raw.Bytes()
	if _, data, ok := bytes.Cut(said, []byte("data: ")); ok {
		said = data
	}
	got.Status = resp.StatusCode
	if err := json.Unmarshal(said, &got); err != nil {
		t.Fatalf("%s: %q: %v", method, raw, err)
	}
	return got
}

func (c tasksClient) call(args map[string]any) tasksAnswer {
	return c.ask("tools/call", "delegate_to_bot", map[string]any{"name": "delegate_to_bot", "arguments": args})
}

func (c tasksClient) get(id string) tasksAnswer {
	return c.ask("tasks/get", id, map[string]any{"taskId": id})
}

// until reads a task until it has a status.
func (c tasksClient) until(id, status string) (got tasksAnswer) {
	c.in.t.Helper()
	eventually(c.in.t, "a task that is "+status, func() bool { got = c.get(id); return got.Result.Status == status })
	return got
}

// TestMCPTasks proves that a client which speaks the protocol's extension for tasks gets
// what a task comes to later, answers what it asks by the form that it gets, and cancels;
// and that another client sees none of it.
func TestMCPTasks(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	in = in.of(t)
	c := tasksClient{in, bearer(owner), true}
	if got := c.ask("server/discover", "", map[string]any{}); got.Result.Capabilities.Extensions["io.modelcontextprotocol/tasks"] == nil {
		t.Errorf("the extension is not announced: %+v", got)
	}

	asks := c.call(map[string]any{"agent": "sasha", "task": do(tool("ask_user", map[string]string{"question": "Which day?"})), "wait_seconds": 0})
	r := asks.Result
	if r.ResultType != "task" || r.ID == "" || r.Created == "" || r.Updated == "" || r.TTL <= 0 || r.Poll <= 0 || r.Result != nil {
		t.Fatalf("a task for a result is %+v", r)
	}
	waits := c.until(r.ID, "input_required").Result
	if len(waits.InputRequests) != 1 {
		t.Fatalf("it asks %s", waits.InputRequests)
	}
	answers := map[string]any{"q-none": map[string]any{"action": "accept"}}
	for id, form := range waits.InputRequests {
		if !strings.Contains(string(form), `"elicitation/create"`) || !strings.Contains(string(form), "Which day?") {
			t.Errorf("its form is %s", form)
		}
		answers[id] = map[string]any{"action": "accept", "content": map[string]any{"answer": "Monday"}}
	}
	for range 2 { // the same twice is as good as once
		if got := c.ask("tasks/update", r.ID, map[string]any{"taskId": r.ID, "inputResponses": answers}); got.Result.ResultType != "complete" || got.Result.ID != "" {
			t.Errorf("an answer is acknowledged by %+v", got)
		}
	}
	done := c.until(r.ID, "completed").Result
	if done.ResultType != "complete" || done.Result == nil || done.Result.ResultType != "complete" || done.Result.IsError || !strings.Contains(done.Result.Content[0].Text, "Monday") {
		t.Errorf("in the end it is %+v", done)
	}
	if got := c.call(map[string]any{"agent": "sasha", "task": "blue", "wait_seconds": 30}); got.Result.ResultType != "complete" {
		t.Errorf("a result that is there at once is %+v", got)
	}

	other := c.call(map[string]any{"agent": "sasha", "task": do(tool("ask_user", map[string]string{"question": "Which month?"})), "wait_seconds": 0}).Result.ID
	for range 2 {
		if got := c.ask("tasks/cancel", other, map[string]any{"taskId": other}); got.Result.ResultType != "complete" || got.Result.ID != "" {
			t.Errorf("the end is acknowledged by %+v", got)
		}
	}
	if got := c.get(other); got.Result.Status != "cancelled" || got.Result.Result != nil {
		t.Errorf("canceled it is %+v", got)
	}
	for name, tt := range map[string]struct {
		got          tasksAnswer
		status, code int
	}{
		"nobody's task":            {c.get("t-none"), http.StatusBadRequest, -32602},
		"a beginning of an id":     {c.get(r.ID[:5]), http.StatusBadRequest, -32602},
		"a header of another":      {c.ask("tasks/get", "t-other", map[string]any{"taskId": r.ID}), http.StatusBadRequest, -32020},
		"tasks/list":               {c.ask("tasks/list", "", map[string]any{}), http.StatusNotFound, -32601},
		"get without extension":    {tasksClient{in, c.key, false}.get(r.ID), http.StatusBadRequest, -32021},
		"cancel without extension": {tasksClient{in, c.key, false}.ask("tasks/cancel", r.ID, map[string]any{"taskId": r.ID}), http.StatusBadRequest, -32021},
	} {
		if tt.got.Status != tt.status || tt.got.Error.Code != tt.code {
			t.Errorf("%s is answered %d, %d, want %d, %d", name, tt.got.Status, tt.got.Error.Code, tt.status, tt.code)
		}
	}
	if got := (tasksClient{in, c.key, false}).call(map[string]any{"agent": "sasha", "task": "blue"}); got.Result.ResultType != "complete" {
		t.Errorf("a client without the extension gets %+v", got)
	}
}

// TestMCPForms proves that a question of a task is a form at a client that shows forms, and
// that the same call goes on with what its person fills in; and that who closes the form is
// told how else to answer.
func TestMCPForms(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	in = in.of(t)
	for _, tt := range []struct {
		action, want string
		input        string
	}{
		{"accept", "Monday", `{"question":"Which day?"}`},
		{"accept", "tuesday", `{"question":"Which?","options":["monday","tuesday"]}`},
		{"accept", "1000000", `{"question":"How many?","schema":{"type":"integer"}}`},
		{"accept", `{"day":"friday"}`, `{"question":"Which?","schema":{"type":"object","properties":{"day":{"type":"string"}},"required":["day"]}}`},
		{"decline", "declined", `{"question":"Which day?"}`},
		{"cancel", "answer_question", `{"question":"Which day?"}`},
	} {
		t.Run(tt.action+" "+tt.want, func(t *testing.T) {
			forms := 0
			client := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, &mcp.ClientOptions{
				ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					forms++
					content := map[string]any{"answer": tt.want}
					switch {
					case tt.action != "accept":
						content = nil
					case strings.HasPrefix(tt.want, "{"):
						content = map[string]any{"day": "friday"}
					case tt.want == "1000000":
						content = map[string]any{"answer": 1000000}
					}
					return &mcp.ElicitResult{Action: tt.action, Content: content}, nil
				},
			})
			session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: "http://" + in.Address + "/mcp", HTTPClient: &http.Client{Transport: bearer(owner)}, DisableStandaloneSSE: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "delegate_to_bot", Arguments: map[string]any{"agent": "sasha", "task": do(call{Tool: "ask_user", Args: tt.input})}})
			if err != nil {
				t.Fatal(err)
			}
			if text := got.Content[0].(*mcp.TextContent).Text; !strings.Contains(text, tt.want) || forms != 1 {
				t.Errorf("after %d forms the call is answered %q, want %q", forms, text, tt.want)
			}
		})
	}
}
