package chaos

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/storetest"
)

// TestMCPOnTwoWorkers proves, with two workers of which one has an MCP server of its own
// and both may run a server that is to run once, that a call reaches the worker which runs
// its server; that the other runs the single one when the first is killed; that of the
// calls which were under way then one that must not run twice is told as unknown and one
// that may is carried out again; and that a call for which there is no worker any more is
// told so instead of waiting for ever.
func TestMCPOnTwoWorkers(t *testing.T) {
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_APP_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	t.Parallel()
	m := newMCPPair(t, address)
	m.start("one", m.server("only", "")+m.server("single", ", single: true, effects: {progress: idempotent}"))
	m.until("one runs both servers", func() bool {
		return m.is("one", "only", "connected", "one") && m.is("one", "single", "connected", "one")
	})
	m.start("two", m.server("single", ", single: true, effects: {progress: idempotent}"))
	m.until("two knows of both", func() bool {
		return m.is("two", "only", "elsewhere", "one") && m.is("two", "single", "elsewhere", "one")
	})

	for i := range 4 { // whichever worker takes their steps
		chat := fmt.Sprintf("echo%d", i)
		m.send([]string{"one", "two"}[i%2], chat, "use only.echo")
	}
	for i := range 4 {
		m.reads(fmt.Sprintf("echo%d", i), "you said:")
	}
	if n := m.called("only", "echo"); n != 4 {
		t.Errorf("the server was called %d times, want 4", n)
	}

	m.send("two", "pay", "use single.hang")
	m.send("two", "look", "use single.progress")
	m.until("both calls are under way", func() bool { return m.called("single", "hang") == 1 && m.called("single", "progress") == 1 })
	m.workers["one"].kill()
	killed := time.Now()
	m.send("two", "gone", "use only.echo")
	m.until("two has taken the single server over", func() bool { return m.is("two", "single", "connected", "two") })
	t.Logf("taken over after %s", time.Since(killed).Round(100*time.Millisecond))
	m.reads("pay", "outcome unknown")
	m.until("the other call is under way again", func() bool { return m.called("single", "progress") == 2 })
	if err := os.WriteFile(filepath.Join(m.folder("single"), "go on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.reads("look", "read")
	if n := m.called("single", "hang"); n != 1 {
		t.Errorf("what must not run twice was run %d times", n)
	}
	// The tool is on offer for as long as its worker counts as alive.
	if reply := m.reads("gone", "it said error: "); !strings.Contains(reply, "only.echo did not finish: no worker that can run it is there") && !strings.Contains(reply, "there is no tool") {
		t.Errorf("a call that nobody takes is told as %q", reply)
	}
	t.Logf("that nobody takes the other's call was told after %s", time.Since(killed).Round(100*time.Millisecond))
	m.until("the tools of the server that is gone are offered no longer, and it is told why", func() bool { return m.isGone("two", "only") })
}

// An mcpPair is two workers with MCP servers.
type mcpPair struct {
	t        *testing.T
	dir      string
	env      []string
	store    *store.Store
	workers  map[string]*process
	controls map[string]string
}

func newMCPPair(t *testing.T, address string) *mcpPair {
	model := httptest.NewServer(newLedger())
	t.Cleanup(func() { model.CloseClientConnections(); model.Close() })
	database, port := storetest.Schema(t, address), devserver.FreePort(t)
	m := &mcpPair{t: t, dir: t.TempDir(), workers: map[string]*process{}, controls: map[string]string{}}
	var err error
	if m.store, err = store.Open(t.Context(), store.Options{PostgreSQL: database}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.store.Close() })
	spawn(t, "CHAOS_ROLE=server", "ERRAND_DATA="+filepath.Join(m.dir, "temporal"), fmt.Sprintf("CHAOS_TEMPORAL_PORT=%d", port))
	m.env = append(temporalAt(port), "CHAOS_ROLE=worker", "DATABASE_URL="+database, "ERRAND_LISTEN=127.0.0.1:0",
		"OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=ledger", "ERRAND_CHECK_MODELS=false")
	return m
}

func (m *mcpPair) folder(server string) string { return filepath.Join(m.dir, "notes-"+server) }

func (m *mcpPair) server(name, more string) string {
	m.t.Helper()
	program, err := os.Executable()
	if err != nil {
		m.t.Fatal(err)
	}
	if err := os.MkdirAll(m.folder(name), 0o700); err != nil {
		m.t.Fatal(err)
	}
	return fmt.Sprintf("  - {name: %s, command: [%q], env: {SIM_MCP: \"\", SIM_MCP_FOLDER: %q}%s}\n", name, program, m.folder(name), more)
}

func (m *mcpPair) start(name, servers string) {
	m.t.Helper()
	file := filepath.Join(m.dir, name+".yaml")
	if err := os.WriteFile(file, []byte("mcp_servers:\n"+servers), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.controls[name] = fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(m.t))
	m.workers[name] = spawn(m.t, append(slices.Clone(m.env), "ERRAND_CONFIG="+file, "ERRAND_DATA="+filepath.Join(m.dir, name), "CHAOS_CONTROL="+m.controls[name])...)
}

// until waits until something is so.
func (m *mcpPair) until(what string, so func() bool) {
	m.t.Helper()
	for deadline := time.Now().Add(4 * time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			for name, p := range m.workers {
				p.kill()
				m.t.Logf("worker %s:\n%s", name, p.last())
			}
			m.t.Fatalf("it never was so: %s", what)
		}
	}
}

// is reports whether a worker says that a server is in a state, with its tools, and that
// another or the same worker runs it.
func (m *mcpPair) is(worker, server, state, at string) bool {
	var list []api.MCPServer
	if err := getJSON(m.t.Context(), m.controls[worker], "/mcp", &list); err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(s api.MCPServer) bool {
		connected := s.RemoteState == "connected" || state != "elsewhere"
		return s.Name == server && s.State == state && connected && len(s.Tools) > 0 && strings.Contains(s.Worker, fmt.Sprintf(":%d:", m.workers[at].cmd.Process.Pid))
	})
}

// isGone reports whether a worker says that a server is down because its worker is gone.
func (m *mcpPair) isGone(worker, server string) bool {
	var list []api.MCPServer
	if err := getJSON(m.t.Context(), m.controls[worker], "/mcp", &list); err != nil {
		return false
	}
	return slices.ContainsFunc(list, func(s api.MCPServer) bool {
		return s.Name == server && s.RemoteState == "down" && strings.HasPrefix(s.Reason, "its worker is gone: ") && len(s.Tools) == 0
	})
}

func (m *mcpPair) send(worker, chat, text string) {
	m.t.Helper()
	form := url.Values{"channel": {"web"}, "chat": {chat}, "id": {chat}, "text": {text}}
	if err := post(m.t.Context(), m.controls[worker], "/say", form); err != nil {
		m.t.Fatal(err)
	}
}

// reads waits until a reply is there with some words, and returns it.
func (m *mcpPair) reads(chat, words string) (reply string) {
	m.t.Helper()
	m.until(fmt.Sprintf("%q in %s", words, chat), func() bool {
		events, err := m.store.Events(m.t.Context(), core.NewSessionKey(core.WebRoute(chat), app.Owner), 0, 1000)
		if err != nil {
			m.t.Fatal(err)
		}
		i := slices.IndexFunc(events, func(e core.Event) bool { return e.Type == core.EventReply })
		if i < 0 {
			return false
		}
		reply = events[i].Text
		return true
	})
	if !strings.Contains(reply, words) {
		m.t.Errorf("%s reads %q, want %q in it", chat, reply, words)
	}
	return reply
}

func (m *mcpPair) called(server, tool string) (n int) {
	raw, err := os.ReadFile(filepath.Join(m.folder(server), "calls"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(raw)) {
		if strings.TrimSpace(line) == tool {
			n++
		}
	}
	return n
}
