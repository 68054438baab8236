package config

import (
	"slices"

	"errand/internal/agents"
	"errand/internal/core"
)

// A RemoteAgent is an agent of another system that speaks A2A.
type RemoteAgent struct {
	Name    core.AgentName
	Card    string
	Headers map[string]Secret
	Updates Updates // default: UpdatesStream
}

// Updates is how errand follows a task at a peer.
type Updates string

// The ways to follow a task.
const (
	UpdatesStream Updates = "stream" // follow the peer's stream, or poll if it has none
	UpdatesPoll   Updates = "poll"   // poll
)

const exampleCard = "https://agents.example.org/.well-known/agent-card.json"

// remoteAgents adds the remote agents to list. Other agents may name them as delegates.
// The primary agent may delegate to those that no agent names.
func (l *loader) remoteAgents(primary core.AgentName, list []agents.Agent) []agents.Agent {
	for _, name := range l.names(at("remote_agents")) {
		if _, twice := l.file.Agents[name]; twice {
			l.fault(at("remote_agents", name), "agents has an agent of this name too: rename one of them")
			continue
		}
		a := l.remoteAgent(name, l.file.RemoteAgents[name])
		// Replaces a shipped agent of that name.
		list = slices.DeleteFunc(list, func(b agents.Agent) bool { return b.Name == a.Name })
		list = append(list, a)
		if slices.ContainsFunc(list, func(b agents.Agent) bool { return slices.Contains(b.Delegates, a.Name) }) {
			continue
		}
		for i := range list {
			if list[i].Name == primary && primary != a.Name {
				list[i].Delegates = append(slices.Clone(list[i].Delegates), a.Name)
			}
		}
	}
	return list
}

func (l *loader) remoteAgent(name string, f remoteFile) agents.Agent {
	p := at("remote_agents", name)
	a := agents.Agent{
		Name: core.AgentName(name), Kind: core.RemoteAgent, Description: unread, NotSticky: true, Tools: []string{}, Skills: []string{},
	}
	if !l.has(p) {
		l.fault(p, "is empty: set card (such as "+exampleCard+") and description, or acp (such as opencode acp) and folder")
		return a
	}
	a.Description, a.Role = f.Description, l.role(p.at("role"), f.Role)
	if l.given(p.at("acp")) {
		l.codingAgent(p, f, &a)
		return a
	}
	if badURL(f.Card) != "" {
		l.fault(p.at("card"), "want the address of its card, such as "+exampleCard+", without keys: those go into headers")
	}
	l.checkHeaders(p.at("headers"), f.Headers, "ORACLE_TOKEN")
	l.fillIn(p.at("headers"), f.Headers, new([]Secret))
	l.cfg.RemoteAgents = append(l.cfg.RemoteAgents, RemoteAgent{Name: a.Name, Card: f.Card, Headers: f.Headers, Updates: f.Updates})
	return a
}
