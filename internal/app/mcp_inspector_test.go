package app_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"errand/internal/ownerkey"
)

// TestMCPInspector proves that the inspector of the protocol's own project lists the tools of
// an installation and finds no fault in their schemas, and that it delegates and reads the
// task: over HTTP and over the standard input and output of the program, in the versions of
// the protocol that begin with a handshake and in those that do not. ERRAND_TEST_MCP_NPM is the folder in which
// the inspector is installed, and ERRAND_TEST_PROGRAM is errand, built.
func TestMCPInspector(t *testing.T) {
	npm, program := os.Getenv("ERRAND_TEST_MCP_NPM"), os.Getenv("ERRAND_TEST_PROGRAM")
	if npm == "" || program == "" {
		t.Skip("ERRAND_TEST_MCP_NPM and ERRAND_TEST_PROGRAM name no inspector and no program")
	}
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	cli := filepath.Join(npm, "node_modules", "@modelcontextprotocol", "inspector", "clients", "launcher", "build", "index.js")
	base := "http://" + in.Address
	for name, target := range map[string][]string{
		"http":  {"--server-url", base + "/mcp", "--transport", "http", "--header", "Authorization: Bearer " + string(owner)},
		"stdio": {"-e", "ERRAND_SERVER=" + base, "-e", "ERRAND_TOKEN=" + string(owner), "--", program, "mcp"},
	} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(name+" "+era, func(t *testing.T) {
				t.Parallel()
				inspect := func(args ...string) string {
					t.Helper()
					command := exec.CommandContext(t.Context(), "node", slices.Concat([]string{cli, "--cli", "--protocol-era", era}, args, target)...)
					command.Env = append(os.Environ(), "HOME="+t.TempDir()) // it keeps settings
					out, err := command.Output()
					if err != nil {
						t.Fatalf("%v: %v\n%s", args, err, command.Stderr)
					}
					return string(out)
				}
				var listed struct {
					Result struct{ Tools []struct{ Name string } }
				}
				out := inspect("--method", "tools/list", "--strict", "--format", "json")
				if err := json.Unmarshal([]byte(out), &listed); err != nil || len(listed.Result.Tools) != 12 {
					t.Fatalf("the tools are %s, %v", out, err)
				}
				call := func(tool string, args map[string]any) mcpTask {
					t.Helper()
					raw, err := json.Marshal(args)
					if err != nil {
						t.Fatal(err)
					}
					var got struct {
						Result struct{ StructuredContent mcpTask }
					}
					out := inspect("--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(raw), "--format", "json")
					if err := json.Unmarshal([]byte(out), &got); err != nil {
						t.Fatalf("%s: %v: %s", tool, err, out)
					}
					return got.Result.StructuredContent
				}
				done := call("delegate_to_bot", map[string]any{"agent": "sasha", "task": "blue"})
				if done.State != "completed" || !strings.Contains(done.Result, "blue") {
					t.Fatalf("a task is %+v", done)
				}
				if read := call("get_task", map[string]any{"task_id": done.ID}); read.ID != done.ID || read.Result != done.Result {
					t.Errorf("read again it is %+v", read)
				}
			})
		}
	}
}
