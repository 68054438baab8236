package config

import (
	"net/http"
	"slices"

	"errand"
	"errand/internal/agents"
)

// A RemoteAgent is an agent of another system, reached by A2A.
type RemoteAgent struct {
	Name    errand.AgentName
	Card    string            // the address of its card
	Headers map[string]Secret // of each request to the host of the card
	Updates Updates           // default: UpdatesAuto
}

// Updates is how errand learns of what is new at a peer. In any case it is asked, too, now and
// then.
type Updates string

// The ways of updates.
const (
	UpdatesAuto   Updates = "auto"   // what the peer can: it pushes, else it is followed, else it is asked
	UpdatesStream Updates = "stream" // it is followed, if it has streams
	UpdatesPush   Updates = "push"   // it pushes, if it can and there is a public_url
	UpdatesPoll   Updates = "poll"   // it is asked
)

// Pushes reports whether a peer may push; the zero value is auto.
func (u Updates) Pushes() bool { return u == "" || u == UpdatesAuto || u == UpdatesPush }

// Streams reports whether a peer may be followed; the zero value is auto.
func (u Updates) Streams() bool { return u == "" || u == UpdatesAuto || u == UpdatesStream }

// remoteAgents reads the map remote_agents. Its agents join list, and whoever else is there
// may name them as delegates; one that nobody names is the primary agent's.
func (l *loader) remoteAgents(root *mapping, primary errand.AgentName, list []agents.Agent, lines map[errand.AgentName]agentLines) []agents.Agent {
	section := root.section("remote_agents")
	if section == nil {
		return list
	}
	own := root.section("agents")
	for _, name := range section.names {
		if own != nil && slices.Contains(own.names, name) {
			section.fault(section.lineOf(name), name, "there is an agent of that name in agents too: keep one of them")
			continue
		}
		a, at := l.remoteAgent(section, name)
		list = slices.DeleteFunc(list, func(b agents.Agent) bool { return b.Name == a.Name }) // of the shipped ones
		list, lines[a.Name] = append(list, a), at
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

func (l *loader) remoteAgent(section *mapping, name string) (agents.Agent, agentLines) {
	a := agents.Agent{Name: errand.AgentName(name), Kind: errand.RemoteAgent, Description: unread, NotSticky: true, Tools: []string{}, Skills: []string{}}
	at := agentLines{agent: section.lineOf(name), fields: make(map[string]int), items: make(map[string][]int)}
	m := section.section(name)
	if m == nil {
		if n := section.get(name); n == nil || isNull(n) {
			section.fault(section.lineOf(name), name, "want card, such as https://agents.example.org/.well-known/agent-card.json, and description, or acp, such as opencode acp, and folder")
		}
		return a, at
	}
	a.Description = ""
	m.text("description", &a.Description)
	l.role(m, "role", &a.Role)
	var updates Updates
	choice(m, "updates", &updates, UpdatesAuto, UpdatesStream, UpdatesPush, UpdatesPoll)
	if m.get("acp") != nil {
		l.codingAgent(m, &a)
	} else {
		l.peer(m, a.Name, updates)
	}
	m.done()
	for _, field := range m.names {
		at.fields[field] = m.lineOf(field)
	}
	return a, at
}

func (l *loader) peer(m *mapping, name errand.AgentName, updates Updates) {
	r := RemoteAgent{Name: name, Updates: updates}
	m.text("card", &r.Card)
	if badURL(r.Card) != "" {
		m.fault(m.lineOf("card"), "card", "want the address of its card, such as https://agents.example.org/.well-known/agent-card.json, without keys: those go into headers")
	}
	r.Headers = l.filledIn(m, "headers", new([]Secret))
	for key := range r.Headers {
		if http.CanonicalHeaderKey(key) == "Authorization" && !inPlace.MatchString(rawText(m, "headers", key)) {
			m.fault(m.lineOf("headers"), "headers", "a key does not belong in this file: write for example Authorization: Bearer ${ORACLE_TOKEN}, and set that variable")
		}
	}
	l.cfg.RemoteAgents = append(l.cfg.RemoteAgents, r)
}
