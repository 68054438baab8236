package activities

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/tools"
)

// An authority decides the rights of a step: which tools an agent may use for a person, which
// agents it may delegate to, and which agents may lead a conversation.
type authority struct {
	roster   *agents.Roster
	accounts agents.Accounts
	rights   *rights.Table
	pairs    Pairs
	maxDepth int
	sticky   bool
}

func newAuthority(d Deps) *authority {
	return &authority{roster: d.Roster, accounts: d.Accounts, rights: d.Rights, pairs: d.Pairs, maxDepth: d.MaxDepth, sticky: d.Sticky}
}

func (a *authority) role(b *store.StepInput) core.Role {
	agent, ok := a.roster.Agent(b.Agent)
	if !ok {
		return b.Role
	}
	return core.Lesser(b.Role, agent.ActsAs)
}

func (a *authority) rosterAt(r core.Route) *agents.Roster {
	return a.accounts.Roster(a.roster, r.At())
}

func (a *authority) mayUse(b *store.StepInput, agent *agents.Agent, t tools.Tool) bool {
	switch {
	case t.By == store.ByVerdict:
		return agent != nil && decides(b)
	case agent == nil || !agent.MayUse(t.Name) || !a.role(b).Includes(a.rights.LeastTool(t.Name, t.Role)):
		return false
	case t.For != nil && !t.For(agent.Name):
		return false
	case t.Name == tools.AnswerTask:
		return b.Task == nil // no person reads a sub-agent's reply
	case t.By == store.ByHandover:
		return len(a.handoffTo(b)) > 0
	}
	return true
}

// inReach returns an error if the person's rights or the chain of tasks do not allow a delegation
// to this agent. It does not check the roster.
func (a *authority) inReach(b *store.StepInput, to core.AgentName) error {
	if !a.rights.May(a.role(b), rights.Agent, string(to)) {
		return fmt.Errorf("%s is not available to this user", to.Display())
	}
	depth := 1
	if t := b.Task; t != nil {
		depth = t.Origin.Depth + 1
		if slices.Contains(t.Origin.Chain, string(to)) {
			return errors.New(core.AgentAbove(to, t.Origin.Chain))
		}
	}
	if depth > a.maxDepth {
		return fmt.Errorf("delegations nest %d deep at most; do this yourself", a.maxDepth)
	}
	if to == b.Agent {
		return fmt.Errorf("%s cannot delegate to itself", to.Display())
	}
	return nil
}

func (a *authority) mayDelegate(b *store.StepInput, to core.AgentName) error {
	if _, ok := registeredAt(b, to); ok {
		return a.inReach(b, to)
	}
	agent, ok := a.roster.Agent(b.Agent)
	if !ok || !agent.MayDelegate(to) {
		var may []string
		for _, d := range a.roster.Delegates(b.Agent) {
			may = append(may, string(d.Name))
		}
		may = append(may, core.Strings(a.registeredNames(b))...)
		return fmt.Errorf("%s cannot delegate to %q; it can delegate to: %s", b.Agent.Display(), core.Cut(string(to), 40), strings.Join(may, ", "))
	}
	return a.inReach(b, to)
}

func (a *authority) delegates(b *store.StepInput) []core.AgentName {
	var names []core.AgentName
	for _, d := range a.roster.Delegates(b.Agent) {
		if a.mayDelegate(b, d.Name) == nil {
			names = append(names, d.Name)
		}
	}
	return append(names, a.registeredNames(b)...)
}

func (a *authority) registeredNames(b *store.StepInput) []core.AgentName {
	var names []core.AgentName
	for _, r := range b.Registered {
		if a.inReach(b, r.Name) == nil {
			names = append(names, r.Name)
		}
	}
	return names
}

func registeredAt(b *store.StepInput, name core.AgentName) (core.RegisteredAgent, bool) {
	i := slices.IndexFunc(b.Registered, func(r core.RegisteredAgent) bool { return r.Name == name })
	if i < 0 {
		return core.RegisteredAgent{}, false
	}
	return b.Registered[i], true
}

// colleagues returns the agents that a specialist who leads a conversation may consult: those that
// it may delegate to, and those that it may hand the conversation over to. The primary agent and
// sub-agents delegate instead.
func (a *authority) colleagues(b *store.StepInput) []core.AgentName {
	if b.Task != nil || b.Agent == a.rosterAt(b.Route).Primary().Name {
		return nil
	}
	names := a.delegates(b)
	for _, h := range a.rosterAt(b.Route).HandoffTo(b.Agent) {
		if !slices.Contains(names, h.Name) && a.inReach(b, h.Name) == nil {
			names = append(names, h.Name)
		}
	}
	return names
}

func (a *authority) toAsk(b *store.StepInput, tool string) []core.AgentName {
	if tool == tools.Consult {
		return a.colleagues(b)
	}
	return a.delegates(b)
}

func (a *authority) checkHandOver(here *agents.Roster, role core.Role, name core.AgentName) error {
	agent, ok := a.roster.Agent(name)
	switch {
	case !ok:
		return fmt.Errorf("there is no agent %q", core.Cut(string(name), 40))
	case !a.rights.May(role, rights.Agent, string(name)):
		return fmt.Errorf("%s is not available to this user", name.Display())
	case name != here.Primary().Name && (agent.NotSticky || !a.sticky):
		return fmt.Errorf("conversations cannot be handed over to %s", name.Display())
	}
	return nil
}

func (a *authority) handoffTo(b *store.StepInput) []core.AgentName {
	if b.Task != nil {
		return nil
	}
	var names []core.AgentName
	here := a.rosterAt(b.Route)
	for _, h := range here.HandoffTo(b.Agent) {
		if a.checkHandOver(here, b.Role, h.Name) == nil {
			names = append(names, h.Name)
		}
	}
	return names
}

// leaders returns the agents that may lead. here is the roster of the session's account.
func (a *authority) leaders(here *agents.Roster, role core.Role) store.Leaders {
	if a.checkHandOver(here, role, here.Primary().Name) != nil {
		here = a.roster // this role may not use the account's agent
	}
	may := store.Leaders{Primary: here.Primary().Name}
	for _, name := range a.roster.Names() {
		if name != may.Primary && a.checkHandOver(here, role, name) == nil {
			may.Others = append(may.Others, name)
		}
	}
	return may
}

// Pairs limits how often two agents ask each other. Package service implements it.
type Pairs interface {
	// AllowPairs counts a request from one agent to each agent of to in a conversation. If a pair
	// has asked too often, it counts nothing and returns how long to wait.
	AllowPairs(conversation string, from core.AgentName, to []core.AgentName) (wait time.Duration)
}

// allowPairs is needed although chains have a maximum depth: two agents could ask each other again
// with every result.
func (a *authority) allowPairs(b *store.StepInput, to []core.AgentName) error {
	if a.pairs == nil {
		return nil
	}
	conversation := string(b.SessionKey)
	if conversation == "" {
		conversation = b.Root
	}
	wait := a.pairs.AllowPairs(conversation, b.Agent, to)
	if wait <= 0 {
		return nil
	}
	names := make([]string, len(to))
	for i, n := range to {
		names[i] = n.Display()
	}
	return fmt.Errorf("%s and %s have asked each other too often in this conversation; try again in %d s. Continue with what you have, or report what is missing",
		b.Agent.Display(), strings.Join(names, ", "), int(math.Ceil(wait.Seconds())))
}
