package config

import (
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"errand"
	"errand/internal/agents"
)

// A CodingAgent is a program that speaks ACP and works in a folder of this machine.
type CodingAgent struct {
	Name    errand.AgentName
	Command []string
	Folder  string            // an absolute path
	Env     map[string]Secret // of the program, beside a few variables
	Secrets []Secret          // that were filled into Env
}

func (l *loader) codingAgent(m *mapping, a *agents.Agent) {
	a.Kind = errand.CodingAgent
	c := CodingAgent{Name: a.Name}
	if n := m.get("acp"); n.Kind == yaml.ScalarNode {
		var line string
		m.text("acp", &line)
		c.Command = strings.Fields(line)
	} else {
		c.Command, _ = m.texts("acp")
	}
	if len(c.Command) == 0 {
		m.fault(m.lineOf("acp"), "acp", "want the command of a program that speaks ACP, such as opencode acp, or a list where an argument has spaces")
	} else if strings.Contains(c.Command[0], "/") {
		c.Command[0] = l.absolute(c.Command[0])
	}
	m.text("folder", &c.Folder)
	if c.Folder == "" {
		m.fault(m.lineOf("acp"), "folder", "want the folder in which it works: the program can change whatever the user can that errand runs as")
	} else {
		c.Folder = l.absolute(c.Folder)
	}
	if m.get("card") != nil || m.get("headers") != nil || m.get("updates") != nil {
		m.fault(m.lineOf("acp"), "acp", "is of a program on this machine, card, headers and updates are of an agent elsewhere: keep one")
	}
	c.Env = l.filledIn(m, "env", &c.Secrets)
	if a.Description == "" {
		a.Description = "Works on the files of the folder " + filepath.Base(c.Folder) + ": reads and changes them, and runs programs there. Reports what it has done."
	}
	l.cfg.CodingAgents = append(l.cfg.CodingAgents, c)
}

func (l *loader) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path, err := filepath.Abs(l.beside(name)); err == nil {
		return path
	}
	return name
}
