package config

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"errand"
)

// An MCPServer is an MCP server whose tools agents can call.
type MCPServer struct {
	Name     string
	Command  []string            // of a server that errand starts; else URL
	URL      string              // of one that is spoken with by HTTP
	Env      map[string]Secret   // of the started process
	Headers  map[string]Secret   // of each HTTP request
	Secrets  []Secret            // that were filled into Env and Headers
	OAuth    *MCPOAuth           // nil: no log-in but by Headers
	Tools    []string            // that are used, by the server's names; empty: all
	Effects  map[string]string   // of its tools, by the server's names
	Approval errand.ApprovalRule // of all its tools; empty: they do not wait for a yes
	Trust    bool                // what it says about effects is believed
	Single   bool                // one worker of the installation runs it
	Timeout  time.Duration       // of one call; 0: the default
}

// MCPOAuth is a client that is registered with a server's authorization server.
type MCPOAuth struct {
	ClientID     string
	ClientSecret Secret
}

// mostServers bounds how many MCP servers there are.
const mostServers = 50

var (
	serverName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,19}$`)
	inPlace    = regexp.MustCompile(`\$\{([^{}]*)\}`)
)

func (l *loader) mcpServers(root *mapping) {
	n := root.get("mcp_servers")
	if n == nil {
		return
	}
	items := root.items("mcp_servers", n)
	if len(items) > mostServers {
		root.fault(root.lineOf("mcp_servers"), "mcp_servers", "there are %d; %d are the most", len(items), mostServers)
		return
	}
	for _, m := range items {
		if m == nil {
			continue // reported
		}
		s := l.mcpServer(m)
		if slices.ContainsFunc(l.cfg.MCPServers, func(o MCPServer) bool { return o.Name == s.Name && s.Name != "" }) {
			m.fault(m.lineOf("name"), "name", "%q is there twice", s.Name)
		}
		l.cfg.MCPServers = append(l.cfg.MCPServers, s)
	}
}

func (l *loader) mcpServer(m *mapping) MCPServer {
	var s MCPServer
	m.text("name", &s.Name)
	if !serverName.MatchString(s.Name) {
		m.fault(m.lineOf("name"), "name", "want a short name such as github (small letters, digits and -, at most 20): its tools are called github.create_issue")
	}
	s.Command, _ = m.texts("command")
	l.placeCommand(m, s.Command)
	l.mcpAddress(m, &s)
	s.Env = l.filledIn(m, "env", &s.Secrets)
	s.Headers = l.filledIn(m, "headers", &s.Secrets)
	for name := range s.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" && !inPlace.MatchString(rawText(m, "headers", name)) {
			m.fault(m.lineOf("headers"), "headers", "a key does not belong in this file: write for example Authorization: Bearer ${GITHUB_TOKEN}, and set that variable")
		}
	}
	started := len(s.Command) > 0
	for key, wrong := range map[string]bool{"env": !started && s.Env != nil, "headers": started && s.Headers != nil, "oauth": started && m.get("oauth") != nil} {
		if wrong {
			m.fault(m.lineOf(key), key, "env is for servers with a command, headers and oauth are for those with a url")
		}
	}
	s.Tools, _ = m.texts("tools")
	if m.get("tools") != nil && len(s.Tools) == 0 {
		m.fault(m.lineOf("tools"), "tools", "names none: leave it out for all of them")
	}
	if e := m.section("effects"); e != nil {
		s.Effects = map[string]string{}
		for _, tool := range e.names {
			effect := ""
			choice(e, tool, &effect, "read_only", "idempotent", "once")
			s.Effects[tool] = effect
		}
	}
	choice(m, "approval", &s.Approval, errand.ApprovalRules()...)
	m.boolean("trust", &s.Trust)
	m.boolean("single", &s.Single)
	if s.Single && !started {
		m.fault(m.lineOf("single"), "single", "is for servers with a command: one with a url is shared by all workers anyway")
	}
	m.duration("timeout", &s.Timeout, time.Second)
	if s.Timeout > time.Hour {
		m.fault(m.lineOf("timeout"), "timeout", "%s is more than an hour", s.Timeout)
	}
	m.done()
	return s
}

// placeCommand makes the paths in a command absolute, for the program runs in a folder of its own:
// that of the program, and each argument that is a file beside errand.yaml.
func (l *loader) placeCommand(m *mapping, command []string) {
	for i, arg := range command {
		path, err := filepath.Abs(l.beside(arg))
		if err != nil || filepath.IsAbs(arg) && i > 0 {
			continue
		}
		info, err := os.Stat(path)
		switch isFile := err == nil && info.Mode().IsRegular(); {
		case i > 0 && isFile:
			command[i] = path
		case i == 0 && strings.Contains(arg, "/"):
			if command[0] = path; !isFile && !l.src.Client {
				m.fault(m.lineOf("command"), "command", "there is no program %s", path)
			}
		}
	}
}

func (l *loader) mcpAddress(m *mapping, s *MCPServer) {
	m.text("url", &s.URL)
	switch {
	case (s.URL == "") == (len(s.Command) == 0):
		m.fault(m.line, "", "want either command, such as [npx, -y, some-mcp-server], or url, such as https://mcp.example.org/mcp")
	case s.URL != "" && badURL(s.URL) != "":
		m.fault(m.lineOf("url"), "url", "want an address such as https://mcp.example.org/mcp, without keys: those go into headers or oauth")
	}
	n := m.get("oauth")
	if n == nil {
		return
	}
	const how = "errand cannot log in in a browser: register a client with the server and write oauth: {client_id: …, client_secret_env: VARIABLE}, or put a token into headers"
	if n.Kind != yaml.MappingNode {
		m.fault(m.lineOf("oauth"), "oauth", how)
		return
	}
	o := m.section("oauth")
	s.OAuth = &MCPOAuth{}
	var variable string
	o.text("client_id", &s.OAuth.ClientID)
	o.text("client_secret_env", &variable)
	switch {
	case s.OAuth.ClientID == "" || variable == "":
		o.fault(o.line, "", how)
	case !variableName.MatchString(variable):
		o.fault(o.lineOf("client_secret_env"), "client_secret_env", "want the name of an environment variable; the secret itself does not belong in this file")
	default:
		s.OAuth.ClientSecret = Secret(l.env(variable))
		if s.OAuth.ClientSecret == "" && !l.src.Client {
			o.fault(o.lineOf("client_secret_env"), "client_secret_env", "the environment variable %s is not set", variable)
		}
	}
	o.done()
}

// filledIn reads texts by name, with the variables of the environment that they name as
// ${VARIABLE} in their places. It adds those to filled.
func (l *loader) filledIn(m *mapping, key string, filled *[]Secret) map[string]Secret {
	section := m.section(key)
	if section == nil {
		return nil
	}
	texts := map[string]Secret{}
	for _, name := range section.names {
		var text string
		section.text(name, &text)
		texts[name] = Secret(inPlace.ReplaceAllStringFunc(text, func(place string) string {
			variable := place[2 : len(place)-1]
			if !variableName.MatchString(variable) {
				section.fault(section.lineOf(name), name, "want the name of an environment variable between ${ and }")
				return ""
			}
			value := l.env(variable)
			if value == "" && !l.src.Client {
				section.fault(section.lineOf(name), name, "the environment variable %s is not set", variable)
			}
			if value != "" {
				*filled = append(*filled, Secret(value))
			}
			return value
		}))
		if !variableName.MatchString(name) && key == "env" || strings.ContainsAny(name+texts[name].Reveal(), "\r\n\x00") {
			section.fault(section.lineOf(name), name, "cannot be the name or the value of one of %s", key)
		}
	}
	return texts
}

func rawText(m *mapping, key, name string) (text string) {
	if section := m.section(key); section != nil {
		section.text(name, &text)
	}
	return text
}
