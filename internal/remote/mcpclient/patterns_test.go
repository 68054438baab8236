package mcpclient

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/tools"
)

// TestPatternsWithoutTools proves that names and patterns in errand.yaml that match none of
// a server's tools are reported, and that an approval among them blocks the server.
func TestPatternsWithoutTools(t *testing.T) {
	server, folder := sim(t)
	server.Tools, server.Effects = []string{"e*", "write", "prize"}, map[string]tools.Effect{"wriet": tools.Once, "write": tools.Idempotent}
	s := newSet()
	all, _ := run(t, s, func(o *Options) {
		o.Patterns = []Pattern{
			{"approvals", "sim.write", true}, {"approvals", "sim.die", true}, // listed, and not used
			{"approvals", "sim.wirte", true}, {"rights.tools", "sim.ec*", false}, {"rights.tools", "sim.x*", false},
			{"agents.finn.tools", "other.tool", false}, {"approvals", "*.delete", true}, {"approvals", "*.write", true},
		}
	}, server)
	wait(t, "connection", is(all, Connected))
	status := all.List()[0]
	want := []string{
		`tools of mcp_servers: "prize" matches no tool of sim (did you mean "write"?)`,
		`effects of mcp_servers: "wriet" matches no tool of sim (did you mean "write"?)`,
		`approvals: "sim.wirte" matches no tool of sim (did you mean "sim.write"?)`,
		`rights.tools: "sim.x*" matches no tool of sim`,
		`approvals: "*.delete" matches no tool of any MCP server`,
	}
	if len(status.Unmatched) != len(want) || slices.ContainsFunc(want, func(text string) bool {
		return !slices.ContainsFunc(status.Unmatched, func(got string) bool { return strings.HasPrefix(got, text) })
	}) {
		t.Errorf("unmatched: %q, want %q", status.Unmatched, want)
	}
	const blocked = `all tools of sim are blocked until errand.yaml is corrected: approvals: "sim.wirte" matches no tool of sim`
	if !strings.HasPrefix(status.Blocked, blocked) {
		t.Errorf("blocked: %q", status.Blocked)
	}
	got, err := call(t, s, "sim.echo", `{"text":"hello"}`)
	if err != nil || !strings.HasPrefix(got, "error: the tool was not run: "+blocked) {
		t.Errorf("a call of the blocked server: %q, %v", got, err)
	}
	if calls := noted(folder, "calls"); len(calls) != 0 {
		t.Errorf("the server was called: %q", calls)
	}
	kept, err := s.MCPServers(t.Context())
	if err != nil || !strings.Contains(string(kept[0].About), "are blocked until") {
		t.Errorf("other workers read: %s, %v", kept[0].About, err)
	}
}

// TestPatternsWithTools proves that a server to which errand.yaml fits is not blocked.
func TestPatternsWithTools(t *testing.T) {
	server, _ := sim(t)
	s := newSet()
	all, _ := run(t, s, func(o *Options) { o.Patterns = []Pattern{{"approvals", "sim.*", true}, {"approvals", "*.echo", true}} }, server)
	wait(t, "connection", is(all, Connected))
	if status := all.List()[0]; len(status.Unmatched) != 0 || status.Blocked != "" {
		t.Errorf("status: %+v", status)
	}
	if got, err := call(t, s, "sim.echo", `{"text":"hello"}`); err != nil || !strings.Contains(got, "you said: hello") {
		t.Errorf("echo: %q, %v", got, err)
	}
}

// A replaceFunc is called when tools are offered.
type replaceFunc func(source string, list []tools.Tool) error

func (f replaceFunc) Replace(source string, list []tools.Tool) error { return f(source, list) }

// TestBlockedWhileOffered proves that a server whose new list does not fit errand.yaml is blocked
// before the list is offered, and stays blocked until one that fits is.
func TestBlockedWhileOffered(t *testing.T) {
	var c *connection
	var blocked []string
	c = newConnection(Server{Name: "sim"}, &Options{Lists: newSet(), Logger: slog.New(slog.DiscardHandler),
		Tools: replaceFunc(func(string, []tools.Tool) error {
			blocked = append(blocked, c.status().Blocked)
			return nil
		})})
	fits := toolList{entries: []entry{{Name: "sim.pay", Remote: "pay"}}}
	renamed := toolList{entries: []entry{{Name: "sim.pay_now", Remote: "pay_now"}}, misfit: misfit{Blocked: "no tool is called pay"}}
	for _, l := range []toolList{fits, renamed, fits} {
		c.setConnected(t.Context(), &mcp.ClientSession{}, l)
	}
	if want := []string{"", "no tool is called pay", "no tool is called pay"}; !slices.Equal(blocked, want) {
		t.Errorf("when its tools were offered, the server was blocked because %q, want %q", blocked, want)
	}
	if reason := c.status().Blocked; reason != "" {
		t.Errorf("it stays blocked: %s", reason)
	}
}
