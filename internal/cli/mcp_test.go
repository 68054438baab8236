package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/test/clitest"
)

// TestMCPOnATerminal proves that whoever types "errand mcp" is told what an editor needs, and the
// address of who would rather use HTTP, and that an editor is spoken to in the protocol alone.
func TestMCPOnATerminal(t *testing.T) {
	f := clitest.NewFakeWorker(t, Run)
	got := f.AtTerminal(t, "", "mcp")
	assert.Zero(t, got.Code, got.Err)
	assert.Empty(t, got.Err)
	printed, named := printedSettings(t, got.Out, "mcpServers")
	assert.JSONEq(t, documented(t, "mcp", "Cursor"), printed)
	assert.Equal(t, map[string]string{"ERRAND_SERVER": f.URL}, named.Env)
	assert.Contains(t, got.Out, f.URL+"/mcp,")
	assert.Contains(t, got.Out, "errand tokens add --scope delegate")

	f.On("POST /mcp", 200, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	got = f.ErrandIn(t, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`+"\n", "mcp")
	assert.Zero(t, got.Code, got.Err)
	assert.JSONEq(t, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`, got.Out)
}

// TestACPSettingsInDocs proves that "errand acp" prints on a terminal what docs/editors.md has for Zed.
func TestACPSettingsInDocs(t *testing.T) {
	f := clitest.NewFakeWorker(t, Run)
	printed, named := printedSettings(t, f.AtTerminal(t, "", "acp").Out, "agent_servers")
	assert.JSONEq(t, documented(t, "editors", "Zed"), printed)
	assert.Equal(t, map[string]string{"ERRAND_SERVER": f.URL}, named.Env)
}

// A namedProgram is a program that settings name.
type namedProgram struct {
	Type    string            `json:"type,omitempty"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env,omitempty"`
}

// printedSettings are the settings before the first empty line of what is printed, as the documents
// have them: the program has the path of this machine, and variables that theirs has not.
func printedSettings(t *testing.T, out, wrapper string) (string, namedProgram) {
	t.Helper()
	text, _, _ := strings.Cut(out, "\n\n")
	var settings map[string]map[string]namedProgram
	require.NoError(t, json.Unmarshal([]byte(text), &settings), text)
	named := settings[wrapper]["errand"]
	require.True(t, strings.HasPrefix(named.Command, "/") || named.Command == "errand", named.Command)
	shown := named
	shown.Command, shown.Env = "errand", nil
	settings[wrapper]["errand"] = shown
	raw, err := json.Marshal(settings)
	require.NoError(t, err)
	return string(raw), named
}

// documented returns the settings of a client on a page of docs.
func documented(t *testing.T, name, client string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + name + ".md")
	require.NoError(t, err)
	row := regexp.MustCompile("(?m)^\\| " + client + " \\|.*`([^`]+)` \\|$").FindStringSubmatch(string(page))
	require.NotNil(t, row, client)
	return row[1]
}

// TestMCPServerWarnings proves that the list of servers shows, for each tool, who may use it and
// whether it asks for approval; and that doctor reports what errand.yaml has wrong about a server.
func TestMCPServerWarnings(t *testing.T) {
	f := clitest.NewFakeWorker(t, Run)
	f.On("GET /healthz", 200, "ok")
	f.On("GET /api/mcp", 200, `[{"name":"shop","wire":"stdio","state":"connected","since":"2026-01-01T00:00:00Z","says":"shop 1","worker":"w1",
		"unmatched":["approvals: \"shop.ordr\" matches no tool of shop"],"blocked":"all tools of shop are blocked",
		"tools":[{"name":"shop.order","effect":"once","role":"partner","approval":"always","agents":[]},
			{"name":"shop.price","effect":"read_only","role":"member","approval":"never","agents":[]}]}]`)
	got := f.Errand(t, "mcp", "list")
	assert.Regexp(t, `(?s)shop +connected .* 2 tools\n\nWARNING\nall tools of shop are blocked\napprovals: "shop.ordr" matches no tool of shop\n\n`+
		`TOOL +EFFECT +FOR +APPROVAL\nshop.order +once +Partner +always\nshop.price +read_only +Member +never\n$`, got.Out)
	got = f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Regexp(t, `BAD +mcp shop +all tools of shop are blocked\n +-> fix errand.yaml and restart the worker: .*"shop.ordr"`, got.Out)
}
