package app_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/remote/mcpclient"
	simmcp "errand/internal/test/sim/mcp"
)

// withServer configures the faulty MCP server, which notes in folder what it does.
func withServer(folder string, faults ...simmcp.Fault) func(*config.Config) {
	return func(cfg *config.Config) {
		cfg.MCPServers = []config.MCPServer{{Name: "sim", Command: []string{os.Args[0]}, Effects: map[string]string{"echo": "read_only"},
			Env: map[string]config.Secret{simmcp.Variable: config.Secret(strings.Join(core.Strings(faults), ",")), simmcp.Folder: config.Secret(folder)}}}
	}
}

// serverIs waits for the state of the one MCP server.
func (in *installation) serverIs(state mcpclient.State) {
	in.t.Helper()
	eventually(in.t, "an MCP server that is "+string(state), func() bool { return in.MCP.List()[0].State == state })
}

// TestMCP proves that agents call the tools of a started MCP server through the whole
// installation, and what people see of it; that a server which dies in the middle is
// started again, with the outcome told as unknown; and that a worker which comes back
// knows the tools before their server is there.
func TestMCP(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := newStage()
	in := install(t, s, func(o *app.Options) { o.Settings = quick }, withServer(folder))
	in.serverIs(mcpclient.Connected)
	key := in.send("mcp", do(tool("sim.echo", map[string]string{"text": "a piece of cake"})))
	in.until(key, hasText("you said: a piece of cake"))

	in.send("mcp", do(tool("sim.picture", nil)))
	in.until(key, hasText("the notes of today"))
	kept, err := in.Store.Artifacts(t.Context(), in.current(key))
	if err != nil || len(kept) != 2 || !slices.ContainsFunc(kept, func(a core.Artifact) bool { return a.Type == "image/png" && a.Tool != "" }) {
		t.Errorf("kept of the result: %+v, %v", kept, err)
	}

	in.send("mcp", do(tool("sim.die", nil)))
	in.until(key, hasText("outcome unknown"))
	in.serverIs(mcpclient.Connected)
	in.send("mcp", do(tool("sim.echo", map[string]string{"text": "again"})))
	in.until(key, hasText("you said: again"))
	if calls := notedIn(folder, "calls"); strings.Count(calls, "die") != 1 {
		t.Errorf("the server was called for %q", calls)
	}

	in.stop()
	in.opts.Config.MCPServers[0].Command = []string{"/no/such/program"}
	in.start()
	in.serverIs(mcpclient.Down)
	in.send("mcp", do(tool("sim.echo", map[string]string{"text": "down"})))
	in.until(key, hasText("the MCP server sim is not available: it cannot be started"))
}

func notedIn(folder, file string) string {
	raw, err := os.ReadFile(folder + "/" + file)
	if err != nil {
		return ""
	}
	return string(raw)
}
