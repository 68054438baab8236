package config

import (
	"slices"

	"errand"
	"errand/internal/agents"
)

// A RemoteAgent is an agent of another system, reached by A2A.
type RemoteAgent struct {
	Name    errand.AgentName
	Card    string            // the address of its card
	Headers map[string]Secret // of each request to the host of the card
	Updates Updates           // default: UpdatesStream
}

// Updates is how errand learns of what is new at a peer.
type Updates string

// The ways of updates.
const (
	UpdatesStream Updates = "stream" // errand follows the peer's stream; it asks a peer that has none
	UpdatesPoll   Updates = "poll"   // errand asks
)

const exampleCard = "https://agents.example.org/.well-known/agent-card.json"

// remoteAgents checks the map remote_agents. Its agents join list, and whoever else is there
// may name them as delegates; one that nobody names is the primary agent's.
func (l *loader) remoteAgents(primary errand.AgentName, list []agents.Agent) []agents.Agent {
	for _, name := range l.names(at("remote_agents")) {
		if _, twice := l.file.Agents[name]; twice {
			l.fault(at("remote_agents", name), "there is an agent of that name in agents too: keep one of them")
			continue
		}
		a := l.remoteAgent(name, l.file.RemoteAgents[name])
		list = slices.DeleteFunc(list, func(b agents.Agent) bool { return b.Name == a.Name }) // of the shipped ones
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
		Name: errand.AgentName(name), Kind: errand.RemoteAgent, Description: unread, NotSticky: true, Tools: []string{}, Skills: []string{},
	}
	if !l.has(p) {
		l.fault(p, "want card, such as "+exampleCard+", and description, or acp, such as opencode acp, and folder")
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
