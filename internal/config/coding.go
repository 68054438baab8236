package config

import (
	"os"
	"path/filepath"
	"strings"

	"errand/internal/agents"
	"errand/internal/core"
)

// A CodingAgent is a program that speaks ACP and works in a folder of this machine.
type CodingAgent struct {
	Name    core.AgentName
	Command []string
	Folder  string            // an absolute path
	Env     map[string]Secret // variables of the program, added to a few others
	Secrets []Secret          // values that were filled into Env
}

func (l *loader) codingAgent(p path, f remoteFile, a *agents.Agent) {
	a.Kind = core.CodingAgent
	c := CodingAgent{Name: a.Name, Command: f.ACP, Env: f.Env}
	if len(c.Command) == 0 {
		l.fault(p.at("acp"), "want the command of a program that speaks ACP, such as opencode acp; write a list if an argument has spaces")
	} else if strings.Contains(c.Command[0], "/") {
		c.Command[0] = l.absolute(c.Command[0])
	}
	if f.Folder == "" {
		l.fault(p.at("folder"), "want the folder in which it works: the program can change everything that errand's user can")
	} else {
		c.Folder = l.absolute(f.Folder)
	}
	if f.Card != "" || f.Headers != nil || f.Updates != "" {
		l.fault(p.at("acp"), "does not work together with card, headers or updates: acp is for a program on this machine, the others are for a peer")
	}
	l.fillIn(p.at("env"), c.Env, &c.Secrets)
	if a.Description == "" {
		a.Description = "Works on the files of the folder " + filepath.Base(c.Folder) +
			": reads and changes them, and runs programs there. Reports what it has done."
	}
	l.cfg.CodingAgents = append(l.cfg.CodingAgents, c)
}

func (d *document) absolute(name string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if path, err := filepath.Abs(d.beside(name)); err == nil {
		return path
	}
	return name
}
