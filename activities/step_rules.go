package activities

import (
	"errand"
	"errand/internal/agents"
	"errand/internal/llm"
	"errand/internal/store"
)

const answerTokens = 4096

// stepRules are what the first transaction of a step is given of roster, rights and
// tools. Roster and rights do not change while a worker runs. The tools of MCP servers
// do: with each change the rules are made anew.
type stepRules struct {
	tools   int64 // the generation of the tools that the prompts are with
	leaders map[errand.Role]store.Leaders
	prompts map[store.PromptOf]int
}

type rulesOf struct {
	account errand.Account // none for a sub-agent
	shared  bool
	sub     bool
}

// stepRules returns the rules of a session's steps, or, where key is empty, of a
// sub-agent's. here is the roster as it is on the session's account.
func (a *Activities) stepRules(here *agents.Roster, key errand.SessionKey) *stepRules {
	route, _, err := key.Parse()
	if err != nil {
		route = errand.Route{} // a session of no account
	}
	of := rulesOf{account: route.At(), shared: key.Shared(), sub: key == ""}
	// Read before the prompts are rendered: if the tools change meanwhile the rules hold
	// for this step, and the next one makes its own.
	generation := a.Tools.Generation()
	if found, ok := a.rules.Load(of); ok && found.(*stepRules).tools == generation {
		return found.(*stepRules)
	}
	rules := &stepRules{tools: generation, prompts: map[store.PromptOf]int{}}
	if !of.sub {
		rules.leaders = map[errand.Role]store.Leaders{}
	}
	for _, role := range errand.Roles() {
		if !of.sub {
			rules.leaders[role] = a.leaders(here, role)
		}
		for _, name := range a.Roster.Names() {
			rules.prompts[store.PromptOf{Agent: name, Role: role}] = a.emptyPrompt(of, route, key, name, role)
		}
	}
	a.rules.Store(of, rules)
	return rules
}

// tokenScaler is a capability of models: to say how many tokens a model has for one that is
// estimated.
type tokenScaler interface{ Scale(model string) float64 }

var _ tokenScaler = (*llm.Client)(nil)

func (a *Activities) scales() map[errand.AgentName]float64 {
	model, ok := a.Model.(tokenScaler)
	if !ok {
		return nil
	}
	scales := map[errand.AgentName]float64{}
	for _, name := range a.Roster.Names() {
		scales[name] = model.Scale(a.modelOf(name))
	}
	return scales
}

// emptyPrompt is how many characters the prompt of an agent has in which nothing has
// been said yet. What a step may say less than it, such as that others read the
// chat, it says.
func (a *Activities) emptyPrompt(of rulesOf, route errand.Route, key errand.SessionKey, name errand.AgentName, role errand.Role) int {
	b := &store.StepInput{SessionKey: key, Route: route, Group: true, Nonce: errand.NewNonce(), Role: role, Agent: name}
	if of.sub {
		b.Task = &errand.Task{ID: errand.NewTaskID(), From: name}
	}
	return 4 * llm.Estimate(a.render(b, false))
}
