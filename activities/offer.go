package activities

import (
	"encoding/json"
	"strings"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/tools"
)

func (p *Prompter) offer(b *store.StepInput) []llm.Tool {
	agent, ok := p.roster.Agent(b.Agent)
	if !ok {
		return nil
	}
	client, most := p.offerClient(b), p.toolLimit(agent)
	list := p.tools.Offer(most-len(client), p.offers(b, agent))
	if len(client) > 0 { // the program relies on its tools, so errand's own are cut first
		list = list[:min(len(list), max(most-len(client), 0))]
	}
	for i, t := range list {
		switch tool, _ := p.tools.Tool(t.Name); tool.By {
		case store.ByDelegation:
			list[i] = tools.NarrowAgents(t, p.toAsk(b, t.Name), func(n core.AgentName) string { return p.aboutAt(b, n) })
		case store.ByHandover:
			list[i] = tools.NarrowAgents(t, p.handoffTo(b), p.about)
		}
	}
	list = append(list, client...)
	for i, t := range list { // some descriptions come from servers and programs
		list[i].Description, list[i].Parameters = prompt.Without(b.Nonce, t.Description), json.RawMessage(prompt.Without(b.Nonce, string(t.Parameters)))
	}
	return list
}

func (p *Prompter) offers(b *store.StepInput, agent *agents.Agent) func(tools.Tool) bool {
	return func(t tools.Tool) bool {
		return p.mayUse(b, agent, t) && (t.By != store.ByDelegation || len(p.toAsk(b, t.Name)) > 0)
	}
}

func (p *Prompter) offered(b *store.StepInput) string {
	var names []string
	for _, t := range p.offer(b) {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

func (p *Prompter) about(name core.AgentName) string {
	if agent, ok := p.roster.Agent(name); ok {
		return agent.Description
	}
	return ""
}

func (p *Prompter) aboutAt(b *store.StepInput, name core.AgentName) string {
	if r, ok := registeredAt(b, name); ok {
		return prompt.RegisteredAgent(r.Description)
	}
	return p.about(name)
}

type toolLimiter interface{ MaxTools(model string) int }

var _ toolLimiter = (*llm.Client)(nil)

func (p *Prompter) toolLimit(agent *agents.Agent) int {
	if model, ok := p.model.(toolLimiter); ok {
		return model.MaxTools(agent.Model)
	}
	return llm.DefaultMaxTools
}

// Knows reports whether there is a tool by this name.
func (p *Prompter) Knows(tool string) bool {
	_, ok := p.tools.Tool(tool)
	return ok
}

// MaxTools returns how many tools a request of an agent may contain.
func (p *Prompter) MaxTools(name core.AgentName) int {
	agent, ok := p.roster.Agent(name)
	if !ok {
		agent = p.roster.Primary()
	}
	return p.toolLimit(agent)
}

// Crowded returns the agents that have more tools than their requests may contain.
func (p *Prompter) Crowded() []core.CrowdedAgent {
	list := []core.CrowdedAgent{}
	for _, name := range p.roster.Names() {
		agent, _ := p.roster.Agent(name)
		b := &store.StepInput{Agent: name, Role: core.MasterAdmin}
		most := p.toolLimit(agent)
		if leftOut, n := p.tools.LeftOut(most, p.offers(b, agent)); len(leftOut) > 0 {
			list = append(list, core.CrowdedAgent{Agent: name, Tools: n, Most: most, LeftOut: leftOut})
		}
	}
	return list
}

// OnOffer returns the tools that the agent of a session may call for a person with a role.
func (p *Prompter) OnOffer(s core.Session, person core.Role) []string {
	b := &store.StepInput{Session: s.ID, SessionKey: s.Key, Route: s.Route, Person: s.Person, Role: person, Agent: s.Agent}
	names := []string{}
	for _, t := range p.offer(b) {
		tool, _ := p.tools.Tool(t.Name)
		names = append(names, tool.Name)
	}
	return names
}

func (p *Prompter) clientTool(b *store.StepInput, name string) (tools.Tool, bool) {
	if _, own := p.tools.Tool(name); own || b.Task != nil || !b.Client.Has(name) {
		return tools.Tool{}, false
	}
	return tools.Tool{By: store.ByClient}, true // no name: the client chose it
}

func (p *Prompter) offerClient(b *store.StepInput) []llm.Tool {
	if b.Client == nil {
		return nil
	}
	var list []llm.Tool
	for _, t := range b.Client.Tools {
		if _, ok := p.clientTool(b, t.Name); ok {
			list = append(list, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict})
		}
	}
	return list
}

func (p *Prompter) mustCall(b *store.StepInput) string {
	switch {
	case b.Client == nil || !b.Client.Must || len(p.offerClient(b)) == 0:
		return ""
	case b.Client.Only != "":
		return b.Client.Only
	}
	return llm.AnyTool
}
