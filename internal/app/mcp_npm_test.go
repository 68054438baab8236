package app_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/ownerkey"
	"errand/internal/remote/mcpclient"
)

// TestMCPFromNPM proves that agents use two servers of the protocol's own project through
// the whole installation. ERRAND_TEST_MCP_NPM is the folder in which they are installed.
func TestMCPFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_MCP_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_MCP_NPM names no folder with the servers")
	}
	module := func(name string) string {
		return filepath.Join(npm, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
	}
	documents := t.TempDir()
	if err := os.WriteFile(documents+"/note.txt", []byte("the cake is in the fridge"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStage()
	in := install(t, s, func(o *app.Options) { o.Settings = quick }, func(cfg *config.Config) {
		cfg.MCPServers = []config.MCPServer{
			{Name: "everything", Command: []string{"node", module("server-everything"), "stdio"}},
			{Name: "files", Command: []string{"node", module("server-filesystem"), documents}, Trust: true},
		}
	})
	eventually(t, "two connected servers", func() bool {
		return !slices.ContainsFunc(in.MCP.List(), func(s mcpclient.Status) bool { return s.State != mcpclient.Connected })
	})
	key := in.send("npm", do(tool("everything.echo", map[string]string{"message": "a piece of cake"})))
	in.until(key, hasText("a piece of cake"))
	in.send("npm", do(tool("files.read_text_file", map[string]string{"path": documents + "/note.txt"})))
	in.until(key, hasText("the cake is in the fridge"))
	in.send("npm", do(tool("files.write_file", map[string]string{"path": documents + "/new.txt", "content": "eaten"})))
	in.until(key, replies(3))
	if got, err := os.ReadFile(documents + "/new.txt"); err != nil || string(got) != "eaten" {
		t.Errorf("written: %q, %v", got, err)
	}
	in.send("npm", do(tool("files.read_text_file", map[string]string{"path": "/etc/passwd"})))
	in.until(key, replies(4))
	if said := textsOf(in.until(key, replies(4))); !strings.Contains(said[3], "error:") || strings.Contains(said[3], "root:") {
		t.Errorf("outside its folder: %q", said[3])
	}
}

// TestMCPClientsFromNPM runs two clients of the protocol's own project against an
// installation. ERRAND_TEST_MCP_NPM is the folder in which they are installed.
func TestMCPClientsFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_MCP_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_MCP_NPM names no folder with the clients")
	}
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	script := exec.CommandContext(t.Context(), "node", "clients.mjs")
	script.Dir = npm
	script.Env = append(os.Environ(), "MCP_URL=http://"+in.Address+"/mcp", "API_KEY="+string(owner))
	out, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
