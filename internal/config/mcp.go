package config

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"errand/internal/core"
)

// An MCPServer is a server whose tools agents can call: command or url.
type MCPServer struct {
	// Its tools are called NAME.tool.
	Name    string            `yaml:"name" pattern:"^[a-z][a-z0-9-]{0,19}$" want:"a short name such as github (small letters, digits and -)"`
	Command []string          `yaml:"command"` // Command of a server that errand starts.
	URL     string            `yaml:"url"`     // Address of a server (streamable HTTP).
	Env     map[string]Secret `yaml:"env"`     // Environment of the server that errand starts.
	Headers map[string]Secret `yaml:"headers"` // Headers of each HTTP request; ${NAME} stands for a variable of the environment.
	Secrets []Secret          `yaml:"-"`       // values that were filled into Env and Headers
	// Client credentials of a registered client.
	OAuth    *MCPOAuth         `yaml:"oauth" want:"client_id and client_secret_env of a client that you register with the server"`
	Tools    []string          `yaml:"tools" fewest:"1"`                         // Tools that agents may use. Default: all.
	Effects  map[string]string `yaml:"effects" enum:"read_only,idempotent,once"` // What happens if a tool runs twice, for each tool.
	Approval core.ApprovalRule `yaml:"approval" enum:"always,first,never"`       // Which calls of its tools need an approval.
	Trust    bool              `yaml:"trust"`                                    // Believe what the server declares about effects.
	Single   bool              `yaml:"single"`                                   // Run it on only one worker of the installation.
	Timeout  time.Duration     `yaml:"timeout" least:"1s" most:"1h"`             // How long one call may take.
}

// MCPOAuth is a client that is registered with a server's authorization server.
type MCPOAuth struct {
	ClientID     string `yaml:"client_id"`                                 // The client's id.
	SecretEnv    string `yaml:"client_secret_env" check:"variable secret"` // Name of the environment variable that has its secret.
	ClientSecret Secret `yaml:"-"`
}

var inPlace = regexp.MustCompile(`\$\{([^{}]*)\}`)

func (l *loader) mcpServers() {
	names := map[string]bool{}
	for i := range l.cfg.MCPServers {
		s, p := &l.cfg.MCPServers[i], at("mcp_servers", i)
		if s.Name == "" {
			l.fault(p.at("name"), "is missing: write a short name such as github; its tools are then called github.create_issue and so on")
		} else if names[s.Name] {
			l.fault(p.at("name"), "another server is already called %q", s.Name)
		}
		names[s.Name] = true
		l.mcpServer(p, s)
	}
}

func (l *loader) mcpServer(p path, s *MCPServer) {
	l.placeCommand(p.at("command"), s.Command)
	started := len(s.Command) > 0 || l.isUnfit(p.at("command"))
	switch {
	case (s.URL == "") != started:
		l.fault(p, "want either command, such as [npx, -y, some-mcp-server], or url, such as https://mcp.example.org/mcp")
	case s.URL != "" && badURL(s.URL) != "":
		l.fault(p.at("url"), "want an address such as https://mcp.example.org/mcp, without keys: those go into headers or oauth")
	}
	l.oauth(p.at("oauth"), s.OAuth)
	l.checkHeaders(p.at("headers"), s.Headers, "GITHUB_TOKEN")
	l.fillIn(p.at("env"), s.Env, &s.Secrets)
	l.fillIn(p.at("headers"), s.Headers, &s.Secrets)
	for key, wrong := range map[string]bool{"env": !started, "headers": started, "oauth": started} {
		if wrong && l.has(p.at(key)) {
			l.fault(p.at(key), "env works only with command, and headers and oauth only with url")
		}
	}
	if s.Single && !started {
		l.fault(p.at("single"), "works only with command: all workers share a server that has a url")
	}
}

// placeCommand makes paths in a command absolute, because the program runs in its own folder.
// This applies to the program, and to each argument that is a file next to errand.yaml.
func (l *loader) placeCommand(p path, command []string) {
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
				l.fault(p, "there is no program %s", path)
			}
		}
	}
}

func (l *loader) oauth(p path, o *MCPOAuth) {
	switch {
	case o == nil:
	case o.ClientID == "" || o.SecretEnv == "":
		l.fault(p, "want client_id and client_secret_env of a client that you register with the server, because errand cannot log in with a browser")
	case l.env(o.SecretEnv) == "" && !l.src.Client:
		l.fault(p.at("client_secret_env"), "the environment variable %s is not set", o.SecretEnv)
	default:
		o.ClientSecret = Secret(l.env(o.SecretEnv))
	}
}

func (l *loader) checkHeaders(p path, headers map[string]Secret, variable string) {
	for name, text := range headers {
		if http.CanonicalHeaderKey(name) == "Authorization" && !inPlace.MatchString(text.Reveal()) {
			l.fault(p.at(name), "a key does not belong in this file: write for example Authorization: Bearer ${%s}, and set that variable", variable)
		}
	}
}

// fillIn replaces ${VARIABLE} in texts, and appends the values to filled.
func (l *loader) fillIn(p path, texts map[string]Secret, filled *[]Secret) {
	for _, name := range l.names(p) {
		texts[name] = Secret(inPlace.ReplaceAllStringFunc(texts[name].Reveal(), func(place string) string {
			variable := place[2 : len(place)-1]
			if !variableName.MatchString(variable) {
				l.fault(p.at(name), "want the name of an environment variable between ${ and }")
				return ""
			}
			value := l.env(variable)
			if value == "" && !l.src.Client {
				l.fault(p.at(name), "the environment variable %s is not set", variable)
			}
			if value != "" {
				*filled = append(*filled, Secret(value))
			}
			return value
		}))
		key := p[len(p)-1]
		if !variableName.MatchString(name) && key == "env" || strings.ContainsAny(name+texts[name].Reveal(), "\r\n\x00") {
			l.fault(p.at(name), "is not a valid name or value in %s", key)
		}
	}
}
