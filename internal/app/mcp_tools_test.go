package app_test

import (
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/core"
)

// TestMCPTools proves the tools and resources that need more than one call: a team decides,
// tasks are listed, added to and gone on with, and their transcripts and files are read.
func TestMCPTools(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	c := connectMCP(t, in.mcpTransports()["http"](t), nil)
	yes := "do " + `[{"Tool":"submit_verdict","Args":"{\"answer\":\"YES\",\"confidence\":0.9,\"reasoning\":\"it is ripe\"}"}]`
	var decided struct {
		mcpTask
		Decision string `json:"decision"`
	}
	if text := c.call("ask_team", map[string]any{"agents": []string{"sasha", "finn"}, "task": yes, "policy": "all"}, &decided); decided.Decision != "YES" || !strings.Contains(text, "it is ripe") {
		t.Errorf("the team decides %+v: %s", decided, text)
	}

	var works mcpTask
	c.call("delegate_to_bot", map[string]any{"agent": "sasha", "task": "wait steered", "wait_seconds": 0}, &works)
	s.asked(t, "wait steered")
	c.call("steer_task", map[string]any{"task_id": works.ID, "text": "by night", "wait_seconds": 0}, nil)
	s.open("steered")
	var ended mcpTask
	c.call("await_task", map[string]any{"task_id": works.ID}, &ended)
	if ended.State != "completed" || !strings.Contains(ended.Result, "by night") {
		t.Errorf("what was added to is %+v", ended)
	}
	var next mcpTask
	c.call("steer_task", map[string]any{"task_id": works.ID, "text": "and by day"}, &next)
	if next.ID == works.ID || !strings.Contains(next.Result, "by day") {
		t.Errorf("what was gone on with is %+v", next)
	}

	var list struct{ Tasks []mcpTask }
	c.call("list_tasks", map[string]any{"states": []string{"completed"}, "limit": 2}, &list)
	if len(list.Tasks) != 2 || list.Tasks[0].ID != next.ID || list.Tasks[0].Result != "" {
		t.Errorf("the tasks are %+v", list.Tasks)
	}
	c.call("list_tasks", map[string]any{"states": []string{"failed"}}, &list)
	if len(list.Tasks) != 0 {
		t.Errorf("tasks that failed are %+v", list.Tasks)
	}

	var wrote mcpTask
	c.call("delegate_to_bot", map[string]any{"agent": "sasha", "task": do(tool("write_file", map[string]string{"path": "notes/cake.md", "content": "flour & eggs"}))}, &wrote)
	read := func(path string) (*mcp.ResourceContents, error) {
		got, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "errand://tasks/" + wrote.ID + path})
		if err != nil {
			return nil, err
		}
		return got.Contents[0], nil
	}
	for path, want := range map[string]string{"/files": "notes/cake.md", "/files/notes/cake.md": "flour & eggs", "/files/notes%2Fcake.md": "flour & eggs", "/transcript": "write_file"} {
		if got, err := read(path); err != nil || !strings.Contains(got.Text, want) {
			t.Errorf("%s is %+v, %v", path, got, err)
		}
	}
	for _, path := range []string{"/files/none.md", "/files/../../errand.yaml", "/nothing"} {
		if got, err := read(path); err == nil {
			t.Errorf("%s is %+v", path, got)
		}
	}
	if _, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", core.Member); err != nil {
		t.Fatal(err)
	}
	token, _, err := in.Store.CreateToken(t.Context(), core.Token{Person: "bob", Kind: core.TokenAPI}, 0)
	if err != nil {
		t.Fatal(err)
	}
	bob := connectMCP(t, in.mcpFor(token), nil)
	for _, path := range []string{"", "/transcript", "/files", "/files/notes/cake.md"} {
		if got, err := bob.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "errand://tasks/" + wrote.ID + path}); err == nil {
			t.Errorf("somebody else reads %s: %+v", path, got)
		}
	}
}
