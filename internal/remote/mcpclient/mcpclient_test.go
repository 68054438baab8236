package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	simmcp "errand/internal/test/sim/mcp"
	"errand/internal/tools"
)

// TestMain is the faulty server where a test starts it.
func TestMain(m *testing.M) {
	if simmcp.Main() {
		return
	}
	os.Exit(m.Run())
}

// A set is the tools on offer, and what is kept.
type set struct {
	mu    sync.Mutex
	tools map[string][]tools.Tool
	rows  map[string]store.MCPServer
	files []store.NewArtifact
	owner map[core.Account]string
}

func newSet() *set {
	return &set{tools: map[string][]tools.Tool{}, rows: map[string]store.MCPServer{}, owner: map[core.Account]string{}}
}

func (s *set) Replace(source string, list []tools.Tool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tools[source] = list
	return nil
}

func (s *set) tool(name string) (tools.Tool, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, list := range s.tools {
		if i := slices.IndexFunc(list, func(t tools.Tool) bool { return t.Name == name }); i >= 0 {
			return list[i], true
		}
	}
	return tools.Tool{}, false
}

func (s *set) NoteMCPServer(_ context.Context, m store.MCPServer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Alive, m.AliveUntil, m.Changed = true, time.Now().Add(time.Minute), time.Now()
	if len(m.Tools) == 0 {
		m.Tools, m.Changed = s.rows[m.Name].Tools, s.rows[m.Name].Changed
	}
	s.rows[m.Name] = m
	return nil
}

func (s *set) MCPServers(context.Context) ([]store.MCPServer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Values(s.rows)), nil
}

func (s *set) KeepArtifact(_ context.Context, _ store.Call, a store.NewArtifact) (core.ArtifactID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = append(s.files, a)
	return core.ArtifactID(fmt.Sprintf("a-%d", len(s.files))), nil
}

func (s *set) Lease(_ context.Context, d core.Account, worker string, ttl time.Duration) (time.Duration, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner[d] == "" {
		s.owner[d] = worker
	}
	if s.owner[d] != worker {
		return 0, nil
	}
	return ttl, nil
}

func (s *set) ReleaseLease(_ context.Context, d core.Account, worker string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner[d] == worker {
		s.owner[d] = ""
	}
	return nil
}

func sim(t *testing.T, faults ...simmcp.Fault) (Server, string) {
	t.Helper()
	folder := t.TempDir()
	return Server{Name: "sim", Command: []string{os.Args[0]}, Timeout: time.Minute, Env: map[string]string{
		simmcp.Variable: strings.Join(core.Strings(faults), ","), simmcp.Folder: folder, "SIM_MCP_TOKEN": "hunter2hunter2"}}, folder
}

// run runs servers until the test ends, or stop is called.
func run(t *testing.T, s *set, change func(*Options), servers ...Server) (all *Servers, stop func()) {
	t.Helper()
	o := Options{Servers: servers, Tools: s, Lists: s, Leases: s, Artifacts: s, Worker: "w1", Version: "test", Folder: t.TempDir(),
		Pause: 10 * time.Millisecond, LongestPause: 100 * time.Millisecond, StartTimeout: time.Minute}
	if change != nil {
		change(&o)
	}
	all, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { all.Run(ctx) })
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return all, stop
}

// wait waits until ok.
func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("in 30 s there was no %s", what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

// is reports whether the one server is in a state.
func is(all *Servers, state State) func() bool {
	return func() bool { return all.List()[0].State == state }
}

var aCall = store.Call{Key: core.CallKey{StepKey: core.StepKey{Owner: "s-1", Turn: 1, Step: 1}, Index: 1}}

// call calls a tool as an agent does.
func call(t *testing.T, s *set, name, args string) (string, error) {
	t.Helper()
	tool, ok := s.tool(name)
	if !ok {
		t.Fatalf("there is no tool %q", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), tool.Timeout)
	defer cancel()
	return tool.Run(ctx, aCall, json.RawMessage(args))
}

// noted returns the lines of a file to which a server writes its notes.
func noted(folder, file string) []string {
	raw, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

// TestTools proves that the tools of a server that is started are offered and called,
// with the operator's bounds.
func TestTools(t *testing.T) {
	server, folder := sim(t)
	server.Effects = map[string]tools.Effect{"write": tools.Idempotent}
	s := newSet()
	all, _ := run(t, s, nil, server)
	wait(t, "connection", is(all, Connected))
	got, err := call(t, s, "sim.echo", `{"text":"hello"}`)
	if err != nil || got != "[result of the MCP server sim: untrusted data]\nyou said: hello\n[end of the result]" {
		t.Errorf("echo: %q, %v", got, err)
	}
	for name, effect := range map[string]tools.Effect{"sim.echo": tools.Once, "sim.write": tools.Idempotent} {
		tool, _ := s.tool(name)
		if tool.Effect != effect || tool.Queue != "errand-mcp-sim" {
			t.Errorf("%s is %s on %q", name, tool.Effect, tool.Queue)
		}
		if strings.Contains(string(tool.Parameters), "$schema") {
			t.Errorf("%s has parameters that providers refuse: %s", name, tool.Parameters)
		}
	}
	for _, bad := range []string{`[]`, `"x"`, `{`} {
		if got, err := call(t, s, "sim.echo", bad); err != nil || !strings.HasPrefix(got, "error: the arguments") {
			t.Errorf("arguments %s: %q, %v", bad, got, err)
		}
	}
	if got := noted(folder, "calls"); len(got) != 1 {
		t.Errorf("the server was called %d times", len(got))
	}
	status := all.List()[0]
	if status.Says != "sim 1" || status.Protocol != "2025-11-25" || status.Wire != "stdio" || len(status.Tools) != 16 {
		t.Errorf("status: %+v", status)
	}
	if i := slices.IndexFunc(status.Tools, func(l ListedTool) bool { return l.Name == "sim.odd_name_with_dots" }); i < 0 {
		t.Errorf("a name that no model takes was not changed: %+v", status.Tools)
	}
	if tried, err := all.Try(t.Context(), "sim", "echo", []byte(`{"text":"try"}`)); err != nil || !strings.Contains(tried, "you said: try") {
		t.Errorf("tried: %q, %v", tried, err)
	}
}
