package app_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/coder/acp-go-sdk"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/config"
	"errand/internal/temporal/devserver"
)

const playsErrand = "ERRAND_TEST_PLAYS=errand"

// needed are the snippets that the pages must have: their readers look for their client or language.
var needed = []string{
	"MCP/Claude Code", "MCP/Codex", "MCP/VS Code", "MCP/Cursor", "MCP/Zed", "MCP/json", "MCP/sh claude mcp add",
	"A2A/sh curl", "A2A/js",
	"OpenAI's API/Open WebUI", "OpenAI's API/LibreChat", "OpenAI's API/js", "OpenAI's API/sh curl",
	"Editors/Zed", "Editors/JetBrains", "Editors/Neovim", "Editors/VS Code",

	"Get a token/sh", "Send a message/sh", "Send a message/python", "Send a message/js",
	"Stream an answer/sh", "Stream an answer/python", "Stream an answer/js",
	"Run a task in the background/sh", "Run a task in the background/python", "Run a task in the background/js",
	"Get a webhook at the end/sh curl", "Get a webhook at the end/python", "Get a webhook at the end/js", "Get a webhook at the end/yaml",
	"Answer a question/sh", "Answer a question/python", "Cancel a task/sh",
	"In Go/go", "In Go/sh",
}

// TestInterop proves that what the pages on other programs tell people to copy works, word by word,
// but for addresses and ids: the settings of each client name a command or an address that speaks
// its protocol, the commands of a shell are run and answered as the page says, what is for
// errand.yaml is what errand reads, and the scripts are run where ERRAND_TEST_NPM and
// ERRAND_TEST_A2A_NPM name the folders with their libraries. A snippet that is none of these fails.
func TestInterop(t *testing.T) {
	if testing.Short() {
		t.Skip("some dozens of processes, one after the other")
	}
	t.Parallel()
	scopes := map[string]string{}
	snippets := slices.Concat(readSnippets(t, "mcp", "MCP", scopes), readSnippets(t, "a2a", "A2A", scopes), readSnippets(t, "openai", "OpenAI's API", scopes),
		readSnippets(t, "editors", "Editors", scopes), readSnippets(t, "interop", "", scopes), readSnippets(t, "programs", "", scopes))
	for _, want := range needed {
		if !slices.ContainsFunc(snippets, func(s snippet) bool { return strings.HasPrefix(s.title(), want) }) {
			t.Errorf("the pages have no snippet %q", want)
		}
	}
	r := newReader(t, scopes)
	for _, s := range snippets {
		if s.page == "programs" {
			t.Run(s.title(), func(t *testing.T) { r.tryProgram(t, s) })
			continue
		}
		t.Run(s.title(), func(t *testing.T) { r.try(t, s) })
	}
}

// A reader does what the pages say, in a shell of its own.
type reader struct {
	in      *installation
	scopes  map[string]string
	bin     string        // the folder with errand and the clients that are played, first in PATH
	program string        // the folder of a program in Go
	hooks   *hookReceiver // for the address of a webhook in a request
	port    string        // for 8090
}

func newReader(t *testing.T, scopes map[string]string) *reader {
	r := &reader{scopes: scopes, bin: t.TempDir(), program: t.TempDir(), hooks: newHookReceiver(t, 0), port: strconv.Itoa(devserver.FreePort(t))}
	r.in, _ = play(t, nil, func(c *config.Config) {
		c.Hooks.Allow = []string{strings.TrimPrefix(r.hooks.URL, "http://"), "127.0.0.1:" + r.port}
	})
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(r.bin, "errand"))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []string{"claude", "codex", "open-webui"} { // each prints what it is told
		script := "#!/bin/sh\nprintf '%s\\n' \"$@\"\nenv | grep ^OPENAI_\nexit 0\n"
		if err := os.WriteFile(filepath.Join(r.bin, client), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func (r *reader) command(t *testing.T, scope string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), name, args...)
	if path := filepath.Join(r.bin, name); name == "errand" {
		cmd.Path, cmd.Err = path, nil
	}
	cmd.Dir = r.in.dir
	cmd.Env = append(os.Environ(), playsErrand, "PATH="+r.bin+":"+os.Getenv("PATH"), "ERRAND_SERVER=http://"+r.in.Address)
	if scope != "" {
		cmd.Env = append(cmd.Env, "ERRAND_TOKEN="+r.token(t, scope))
	}
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

func (r *reader) run(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", cmd.Args, err, out, cmd.Stderr)
	}
	return strings.TrimSpace(string(out))
}

func (r *reader) token(t *testing.T, scope string) string {
	t.Helper()
	return r.run(t, r.command(t, "", "errand", "tokens", "add", "--scope", scope))
}

func (r *reader) here(t *testing.T, s snippet) string {
	text := strings.NewReplacer("127.0.0.1:8080", r.in.Address, "/srv/errand/data", r.in.opts.Config.Data, "8090", r.port).Replace(s.text)
	if strings.Contains(text, `"…"`) {
		text = strings.ReplaceAll(text, `"…"`, `"`+r.token(t, r.scopes[s.section])+`"`)
	}
	return text
}

var wrappers = map[string]string{
	"MCP/VS Code": "servers", "MCP/Cursor": "mcpServers", "MCP/": "mcpServers", "MCP/Zed": "context_servers",
	"Editors/Zed": "agent_servers", "Editors/JetBrains": "agent_servers", "Editors/VS Code, ACP Client": "acp.agents",
}

var luaKey = regexp.MustCompile(`(\w+) = `)

func (r *reader) try(t *testing.T, s snippet) {
	text, kind := r.here(t, s), s.language
	switch {
	case kind == "" && strings.HasPrefix(text, "{"):
		kind = "json"
	case kind == "" && strings.HasPrefix(text, `require("avante")`):
		kind = "lua"
	case s.client == "LibreChat":
		kind = "librechat"
	case s.client != "":
		kind = "sh"
	}
	switch kind {
	case "json":
		r.settings(t, wrappers[s.section+"/"+s.client], []byte(text))
	case "lua": // its tables are JSON but for their keys and braces
		text, _ = strings.CutPrefix(text, `require("avante").setup(`)
		text = luaKey.ReplaceAllString(strings.TrimSuffix(text, ")"), `"$1": `)
		text = strings.ReplaceAll(text, `{ "acp" }`, `["acp"]`)
		var set struct{ Provider string }
		if err := json.Unmarshal([]byte(text), &set); err != nil || set.Provider != "errand" {
			t.Fatalf("the provider is %q, %v", set.Provider, err)
		}
		r.settings(t, "acp_providers", []byte(text))
	case "sh":
		r.shell(t, s, text)
	case "js":
		r.script(t, s, text)
	case "yaml":
		path := filepath.Join(t.TempDir(), "errand.yaml")
		text = strings.ReplaceAll(text, "~/src/shop", t.TempDir()) // the folder has to be there
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r.run(t, r.command(t, "", "errand", "config", "check", path))
	case "librechat":
		r.librechat(t, text)
	default:
		t.Errorf("no rule of this test knows how to try this snippet:\n%s", s.text)
	}
}

// settings runs the commands that a client's settings name, and has each speak its protocol.
func (r *reader) settings(t *testing.T, wrapper string, text []byte) {
	t.Helper()
	type server struct {
		Type    string
		Command string
		Args    []string
		Env     map[string]string
	}
	var whole map[string]json.RawMessage
	var named map[string]server
	err := json.Unmarshal(text, &whole)
	if err == nil {
		err = json.Unmarshal(whole[wrapper], &named)
	}
	if err != nil || len(named) != 1 || named["errand"].Command == "" {
		t.Fatalf("under %q there is no errand: %v\n%s", wrapper, err, text)
	}
	s := named["errand"]
	if filepath.Base(s.Command) != "errand" {
		t.Fatalf("the command is %s", s.Command)
	}
	cmd := r.command(t, "", "errand", s.Args...)
	if len(s.Env) > 0 { // it says what the folder says otherwise
		cmd.Dir = t.TempDir()
	}
	if s.Env["ERRAND_TOKEN"] != "" {
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, "ERRAND_SERVER=") })
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	r.speaks(t, cmd)
}

func (r *reader) speaks(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if slices.Equal(cmd.Args[1:], []string{"mcp"}) {
		r.listsTools(t, &mcp.CommandTransport{Command: cmd})
		return
	}
	if !slices.Equal(cmd.Args[1:], []string{"acp"}) {
		t.Fatalf("errand is started as %q", cmd.Args)
	}
	to, err := cmd.StdinPipe()
	var from io.Reader
	if err == nil {
		from, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{}
	e.ClientSideConnection = acp.NewClientSideConnection(e, to, from)
	e.SetLogger(slog.New(slog.DiscardHandler))
	is, err := e.Initialize(t.Context(), acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber})
	if err == nil && (is.AgentInfo == nil || is.AgentInfo.Name != "errand") {
		t.Errorf("the agent is %+v", is.AgentInfo)
	}
	if err == nil {
		_, err = e.NewSession(t.Context(), acp.NewSessionRequest{Cwd: "/", McpServers: []acp.McpServer{}})
	}
	if err == nil {
		err = to.Close()
	}
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		t.Errorf("errand acp: %v\n%s", err, cmd.Stderr)
	}
}

func (r *reader) listsTools(t *testing.T, over mcp.Transport) {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "reader", Version: "1"}, nil).Connect(t.Context(), over, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || !slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == "delegate_to_bot" }) {
		t.Fatalf("the tools are %+v, %v", tools, err)
	}
	agents, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "list_agents"})
	if err != nil || agents.IsError {
		t.Errorf("list_agents answers %+v, %v", agents, err)
	}
}

// shell runs commands as they are, and looks at what they answer.
func (r *reader) shell(t *testing.T, s snippet, text string) {
	bash := func() []string {
		t.Helper()
		cmd := r.command(t, r.scopes[s.section], "bash", "-euo", "pipefail", "-c", text)
		cmd.Env = append(cmd.Env, "HOME="+t.TempDir())
		return strings.Split(r.run(t, cmd), "\n")
	}
	program, _, _ := strings.Cut(text, " ")
	switch {
	case strings.Contains(text, " mcp add errand -- "):
		told := bash()
		if len(told) < 5 || !slices.Equal(told[:4], []string{"mcp", "add", "errand", "--"}) || told[4] != "errand" {
			t.Fatalf("%s is told %q", program, told)
		}
		r.speaks(t, r.command(t, "", "errand", told[5:]...))
	case strings.HasPrefix(text, "claude mcp add --transport http "):
		told := bash()
		if len(told) != 8 || told[6] != "--header" {
			t.Fatalf("claude is told %q", told)
		}
		key, _ := strings.CutPrefix(told[7], "Authorization: Bearer ")
		r.listsTools(t, &mcp.StreamableClientTransport{Endpoint: told[5], HTTPClient: &http.Client{Transport: bearer(key)}, DisableStandaloneSSE: true})
	case strings.HasSuffix(text, " open-webui serve"):
		env := map[string]string{}
		for _, line := range bash() {
			if name, value, ok := strings.Cut(line, "="); ok {
				env[name] = value
			}
		}
		r.listsModels(t, env["OPENAI_API_BASE_URL"], env["OPENAI_API_KEY"])
	case program == "curl":
		if _, err := exec.LookPath("curl"); err != nil {
			t.Skip("this machine has no curl")
		}
		r.curl(t, s, func() string { return strings.Join(bash(), "\n") })
	default:
		t.Errorf("no rule of this test knows these commands:\n%s", s.text)
	}
}
