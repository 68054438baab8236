package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestMCPDoor proves that an MCP client delegates, waits, answers what is asked, cancels and
// reads, over HTTP in the newest version of the protocol and over the standard input and output
// of "errand mcp" in the one before. TestMCPInspector has the other two.
func TestMCPDoor(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	base := "http://" + in.Address
	for name, transport := range in.mcpTransports() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in.of(t).mcpClient(transport(t), map[string]string{"http": "2026-07-28", "stdio": "2025-11-25"}[name])
		})
	}
	t.Run("strangers", func(t *testing.T) {
		resp, err := http.Post(base+"/mcp", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		where := resp.Header.Get("WWW-Authenticate")
		if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(where, base+"/.well-known/oauth-protected-resource/mcp") {
			t.Fatalf("a stranger is answered %d, %q", resp.StatusCode, where)
		}
		meta, err := http.Get(base + "/.well-known/oauth-protected-resource/mcp")
		if err != nil {
			t.Fatal(err)
		}
		defer meta.Body.Close()
		var said struct {
			Resource string   `json:"resource"`
			Methods  []string `json:"bearer_methods_supported"`
		}
		if err := json.NewDecoder(meta.Body).Decode(&said); err != nil || said.Resource != base+"/mcp" || len(said.Methods) != 1 {
			t.Errorf("the metadata are %+v, %v", said, err)
		}
	})
}

func (in *installation) mcpClient(transport mcp.Transport, version string) {
	t, ctx := in.t, in.t.Context()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, nil).Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	call := func(name string, args map[string]any) (task mcpTask, text string) {
		t.Helper()
		got, err := session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		raw, err := json.Marshal(got.StructuredContent)
		if err == nil && !got.IsError {
			err = json.Unmarshal(raw, &task)
		}
		if err != nil {
			t.Fatalf("%s: %s: %v", name, raw, err)
		}
		return task, got.Content[0].(*mcp.TextContent).Text
	}
	tools, err := session.ListTools(ctx, nil)
	if err != nil || len(tools.Tools) != 12 {
		t.Fatalf("the tools are %+v, %v", tools, err)
	}
	if _, text := call("list_agents", nil); !strings.Contains(text, "sasha: ") {
		t.Errorf("the agents are %q", text)
	}

	done, text := call("delegate_to_bot", map[string]any{"agent": "Sasha", "task": "blue", "messages": []map[string]string{{"role": "user", "text": "Which colour?"}}})
	if done.State != "completed" || !strings.Contains(done.Result, "blue") || !strings.Contains(text, "blue") {
		t.Errorf("a task with a result at once is %+v, %q", done, text)
	}
	if read, _ := call("get_task", map[string]any{"task_id": done.ID[:6]}); read.Result != done.Result {
		t.Errorf("read again it is %+v", read)
	}

	asks, text := call("delegate_to_bot", map[string]any{"agent": "sasha", "task": do(tool("ask_user", map[string]string{"question": "Which day?"}))})
	if asks.State != "input_required" || len(asks.Questions) != 1 || !strings.Contains(text, "Which day?") {
		t.Fatalf("a task that asks is %+v, %q", asks, text)
	}
	if _, text := call("answer_question", map[string]any{"question_id": asks.Questions[0].ID, "answer": "Monday"}); !strings.Contains(text, "answered") {
		t.Errorf("the answer is answered %q", text)
	}
	if read, _ := call("await_task", map[string]any{"task_id": asks.ID}); read.State != "completed" || !strings.Contains(read.Result, "Monday") {
		t.Errorf("with the answer it is %+v", read)
	}

	works, _ := call("delegate_to_bot", map[string]any{"agent": "sasha", "task": do(tool("ask_user", map[string]string{"question": "Which month?"})), "wait_seconds": 0})
	if ended, _ := call("cancel_task", map[string]any{"task_id": works.ID, "reason": "no more"}); ended.State != "canceled" {
		t.Errorf("canceled it is %+v", ended)
	}
	if _, text := call("get_task", map[string]any{"task_id": "t-none"}); !strings.Contains(text, "t-none") {
		t.Errorf("a task that is not there: %q", text)
	}
	if _, text := call("delegate_to_bot", map[string]any{"agent": "nobody", "task": "x"}); !strings.Contains(text, "nobody") {
		t.Errorf("an agent that is not there: %q", text)
	}
	if got, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "errand://tasks/" + done.ID}); err != nil || !strings.Contains(got.Contents[0].Text, "blue") {
		t.Errorf("the task as a resource: %+v, %v", got, err)
	}
	if _, err := session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "errand://tasks/t-none"}); err == nil {
		t.Error("a task that is not there is read as a resource")
	}
	if got, err := session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "delegate", Arguments: map[string]string{"task": "count"}}); err != nil || len(got.Messages) != 1 {
		t.Errorf("the prompt: %+v, %v", got, err)
	}
}

// An mcpTask is what a client reads of a task.
type mcpTask struct {
	ID        string `json:"task_id"`
	State     string `json:"state"`
	Result    string `json:"result"`
	Questions []struct {
		ID string `json:"question_id"`
	} `json:"questions"`
}
