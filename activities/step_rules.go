package activities

import (
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
)

const answerTokens = 4096

// stepRules are what the first transaction of a step needs of roster, rights and tools. Roster and
// rights do not change while a worker runs. The tools of MCP servers do, and each change makes the
// rules anew.
type stepRules struct {
	tools   int64 // the generation of the tools in the prompts
	leaders map[core.Role]store.Leaders
	prompts map[store.PromptOf]int
}

type rulesOf struct {
	account core.Account // empty for a sub-agent
	shared  bool
	sub     bool
}

// stepRules returns the rules of a session's steps or, if key is empty, of a sub-agent's. here is
// the roster of the session's account.
func (p *Prompter) stepRules(here *agents.Roster, key core.SessionKey) *stepRules {
	route, _, err := key.Parse()
	if err != nil {
		route = core.Route{} // the session has no account
	}
	of := rulesOf{account: route.At(), shared: key.Shared(), sub: key == ""}
	// Read the generation before rendering: if the tools change in between, these rules hold for
	// this step, and the next step makes new ones.
	generation := p.tools.Generation()
	if found, ok := p.rules.Load(of); ok && found.(*stepRules).tools == generation {
		return found.(*stepRules)
	}
	rules := &stepRules{tools: generation, prompts: map[store.PromptOf]int{}}
	if !of.sub {
		rules.leaders = map[core.Role]store.Leaders{}
	}
	for _, role := range core.Roles() {
		if !of.sub {
			rules.leaders[role] = p.leaders(here, role)
		}
		for _, name := range p.roster.Names() {
			rules.prompts[store.PromptOf{Agent: name, Role: role}] = p.emptyPrompt(of, route, key, name, role)
		}
	}
	p.rules.Store(of, rules)
	return rules
}

// emptyPrompt returns an upper bound, in characters, of an agent's prompt without messages.
func (p *Prompter) emptyPrompt(of rulesOf, route core.Route, key core.SessionKey, name core.AgentName, role core.Role) int {
	b := &store.StepInput{SessionKey: key, Route: route, Group: true, Nonce: core.NewNonce(), Role: role, Agent: name}
	if of.sub {
		b.Task = &core.Task{ID: core.NewTaskID(), From: name}
	}
	return 4 * llm.Estimate(p.render(b, false))
}
