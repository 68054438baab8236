package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// TestMCPServers proves how servers are read, and that keys come from the environment.
func TestMCPServers(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `mcp_servers:
  - name: github
    command: [npx, -y, some-server]
    env: {GITHUB_TOKEN: "${GH_TOKEN}", MODE: quiet}
    tools: [create_*, get_issue]
    effects: {get_issue: read_only}
    trust: true
    single: true
    timeout: 5m
  - name: wiki
    url: https://mcp.example.org/mcp
    headers: {Authorization: "Bearer ${WIKI_TOKEN}"}
  - {name: crm, url: "http://crm.lan/mcp", oauth: {client_id: errand, client_secret_env: CRM_SECRET}}
`, map[string]string{"GH_TOKEN": "gh-1", "WIKI_TOKEN": "w-1", "CRM_SECRET": "c-1"}, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []config.MCPServer{
		{Name: "github", Command: []string{"npx", "-y", "some-server"}, Env: map[string]config.Secret{"GITHUB_TOKEN": "gh-1", "MODE": "quiet"}, Secrets: []config.Secret{"gh-1"},
			Tools: []string{"create_*", "get_issue"}, Effects: map[string]string{"get_issue": "read_only"}, Trust: true, Single: true, Timeout: 5 * time.Minute},
		{Name: "wiki", URL: "https://mcp.example.org/mcp", Headers: map[string]config.Secret{"Authorization": "Bearer w-1"}, Secrets: []config.Secret{"w-1"}},
		{Name: "crm", URL: "http://crm.lan/mcp", OAuth: &config.MCPOAuth{ClientID: "errand", SecretEnv: "CRM_SECRET", ClientSecret: "c-1"}},
	}, c.MCPServers)
}

// TestMCPCommand proves that a program and its arguments are found beside errand.yaml, where they
// are files there.
func TestMCPCommand(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	require.NoError(t, os.WriteFile("stock.py", nil, 0o600))
	require.NoError(t, os.Mkdir("run", 0o700))
	c, err := load(t, "mcp_servers:\n  - {name: a, command: [python3, -u, stock.py, run, other.py]}\n  - {name: b, command: [./stock.py]}\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []string{"python3", "-u", filepath.Join(folder, "stock.py"), "run", "other.py"}, c.MCPServers[0].Command)
	require.Equal(t, []string{filepath.Join(folder, "stock.py")}, c.MCPServers[1].Command)
}

// TestRefusedMCPServers proves what is refused, and that it is said what to do.
func TestRefusedMCPServers(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"{name: GitHub, command: [x]}", `mcp_servers[0].name: want a short name such as github`},
		{"{name: a}", `mcp_servers[0]: want either command, such as [npx, -y, some-mcp-server], or url`},
		{"{name: a, command: []}", `mcp_servers[0]: want either command, such as [npx, -y, some-mcp-server], or url`},
		{"{name: a, command: [x], url: \"http://h/mcp\"}", `want either command`},
		{"{name: a, command: npx}", `mcp_servers[0].command: want a list such as [one, two], found "npx"`},
		{"{name: a, command: [x], approval: all}", `mcp_servers[0].approval: "all" is not one of always, first, never`},
		{"{name: a, url: \"http://h/mcp\", oauth: login}", `mcp_servers[0].oauth: want client_id and client_secret_env of a client that you register with the server`},
		{"{name: a, url: \"http://h/mcp\", oauth: {client_id: x}}", `errand cannot log in with a browser`},
		{"{name: a, url: \"http://h/mcp\", oauth: {client_id: x, client_secret_env: NO_SUCH}}", `the environment variable NO_SUCH is not set`},
		{"{name: a, url: \"http://h/mcp\", headers: {authorization: Bearer abc}}", `mcp_servers[0].headers.authorization: a key does not belong in this file`},
		{"{name: a, url: \"http://h/mcp\", headers: {X: \"${NO_SUCH}\"}}", `mcp_servers[0].headers.X: the environment variable NO_SUCH is not set`},
		{"{name: a, url: \"http://u:p@h/mcp\"}", `mcp_servers[0].url: want an address such as`},
		{"{name: a, url: \"http://h/mcp\", single: true}", `mcp_servers[0].single: works only with command`},
		{"{name: a, command: [x], headers: {X: y}}", `env works only with command`},
		{"{name: a, command: [x], effects: {t: twice}}", `mcp_servers[0].effects.t: "twice" is not one of read_only, idempotent, once`},
		{"{name: a, command: [./none.sh]}", `mcp_servers[0].command: there is no program `},
		{"{name: a, command: [x], tools: []}", `mcp_servers[0].tools: is empty`},
		{"{name: a, command: [x], trusted: true}", `unknown key "trusted" (did you mean "trust"?)`},
		{"{name: a, command: [x]}\n  - {name: a, command: [y]}", `mcp_servers[1].name: another server is already called "a"`},
	} {
		t.Run(c.want, func(t *testing.T) {
			t.Chdir(t.TempDir())
			_, err := load(t, "mcp_servers:\n  - "+c.file+"\n", nil, config.Flags{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.file, err)
			}
		})
	}
}
