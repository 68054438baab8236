package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/telemetry"
)

// Agents has the operations on the agents that people talk to.
type Agents struct {
	*Env
	roster    *agents.Roster
	accounts  agents.Accounts
	handOvers *telemetry.Counter

	sticky        bool          // see [Deps.Sticky]
	stickyFor     time.Duration // likewise
	beginWithLast bool          // see [Deps.BeginWithLast]
}

func (a *Agents) bind(r *ops.Runner) {
	ops.Bind(r, api.ListAgents, a.list)
	ops.Bind(r, api.GetActiveAgent, a.active)
	ops.Bind(r, api.SwitchAgent, a.change)
}

func (a *Agents) list(ctx context.Context, by actor.Actor, in api.ListAgentsInput) ([]api.Agent, error) {
	key := in.Key
	if in.Chat != "" {
		var err error
		if key, err = webKey(in.Chat, by.Person); err != nil {
			return nil, err
		}
	}
	if key != "" {
		if err := a.reads(by, key); err != nil {
			return nil, err
		}
	}
	return a.listIn(ctx, by, key)
}

// listIn lists the agents that a person may use. Without a key, the primary one is active.
func (a *Agents) listIn(ctx context.Context, by actor.Actor, key core.SessionKey) ([]api.Agent, error) {
	here := a.rosterOf(key)
	primary := here.Primary().Name
	active := primary
	var err error
	if key != "" {
		if active, err = a.activeIn(ctx, key); err != nil {
			return nil, err
		}
	}
	person, err := a.Store.Person(ctx, by.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	var list []api.Agent
	for _, n := range a.available(by) {
		agent, _ := a.roster.Agent(n)
		list = append(list, api.Agent{Name: n, Description: agent.Description, Primary: n == primary, Active: n == active,
			LastUsed: n == person.LastAgent, Talks: a.maySwitch(by, here, active, n) == nil})
	}
	return list, nil
}

func (a *Agents) active(ctx context.Context, by actor.Actor, in api.ConversationKey) (core.AgentName, error) {
	if err := a.reads(by, in.Key); err != nil {
		return "", err
	}
	return a.activeIn(ctx, in.Key)
}

// change switches a conversation to another agent. A person may switch to the agents that the
// active agent, or the primary one, may hand over to.
func (a *Agents) change(ctx context.Context, by actor.Actor, in api.SwitchAgentInput) (core.AgentName, error) {
	command := "/agent"
	if in.Agent == "" {
		command = "/supervisor"
	}
	if err := cmp.Or(a.changes(by, in.Key), a.forAll(by, in.Key, command)); err != nil {
		return "", err
	}
	here := a.rosterOf(in.Key)
	name := cmp.Or(in.Agent, here.Primary().Name)
	active, err := a.activeIn(ctx, in.Key)
	if err != nil {
		return "", err
	}
	if err := a.maySwitch(by, here, active, name); err != nil {
		return "", err
	}
	if err := a.Store.HandOver(ctx, in.Key, name, here.StickFor(name, a.stickyFor)); err != nil {
		return name, err
	}
	a.handedOver(in.Key, active, name, "person")
	return name, nil
}

func (a *Agents) handedOver(key core.SessionKey, from, to core.AgentName, cause string) {
	if from == to {
		return
	}
	a.handOvers.Add(string(from), string(to), cause)
	route, _, _ := key.Parse()
	a.Logger.Info("conversation handed over", "channel", route.Channel, "from", from, "to", to, "cause", cause)
}

// RosterOf returns the roster of the account that a conversation is on.
func (s *Service) RosterOf(key core.SessionKey) *agents.Roster { return s.agents.rosterOf(key) }

func (a *Agents) rosterOf(key core.SessionKey) *agents.Roster {
	return a.accounts.OfSession(a.roster, key)
}

// activeIn returns the agent that leads a conversation, or would lead it.
func (a *Agents) activeIn(ctx context.Context, key core.SessionKey) (core.AgentName, error) {
	now, err := a.Store.Current(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return a.firstIn(ctx, key)
	}
	return now.Agent, err
}

// openSession returns the session of a conversation, and starts one if necessary.
func (a *Agents) openSession(ctx context.Context, key core.SessionKey) (core.SessionID, error) {
	agent, err := a.firstIn(ctx, key)
	if err != nil {
		return "", err
	}
	found, err := a.Store.Rehydrate(ctx, key, agent)
	return found.Session, err
}

func (a *Agents) firstIn(ctx context.Context, key core.SessionKey) (core.AgentName, error) {
	here := a.rosterOf(key)
	primary := here.Primary().Name
	_, id, err := key.Parse()
	if err != nil || !a.beginWithLast || id == core.Everyone || primary != a.roster.Primary().Name {
		return primary, err
	}
	person, err := a.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return primary, nil
	}
	if err != nil || person.LastAgent == "" || a.maySwitch(actor.Actor{Person: id, Role: person.Role}, here, primary, person.LastAgent) != nil {
		return primary, err
	}
	return person.LastAgent, nil
}

func (a *Agents) maySwitch(by actor.Actor, here *agents.Roster, active, to core.AgentName) error {
	agent, known := here.Agent(to)
	primary := here.Primary().Name
	switch {
	case known && (to == primary || to == active):
		return nil
	case !known || !a.Rights.May(by.Role, rights.Agent, string(to)): // do not reveal agents above the actor's role
		return Refuse(KindNotFound, "unknown_agent", "refusal.unknown_agent", "agent", core.Cut(string(to), 40), "agents", a.names(by))
	case !a.sticky:
		return conflict("not_sticky", "refusal.stays", "primary", primary.Display())
	case agent.NotSticky:
		return conflict("not_sticky", "refusal.no_conversations", "agent", to.Display(), "primary", primary.Display())
	}
	for _, from := range []core.AgentName{active, primary} {
		for _, h := range here.HandoffTo(from) {
			if h.Name == to {
				return nil
			}
		}
	}
	return Forbidden("refusal.no_handoff", "agent", to.Display())
}

func (a *Agents) available(by actor.Actor) []core.AgentName {
	return slices.DeleteFunc(a.roster.Names(), func(n core.AgentName) bool { return !a.Rights.May(by.Role, rights.Agent, string(n)) })
}

func (a *Agents) names(by actor.Actor) string {
	return strings.Join(core.Strings(a.available(by)), ", ")
}

func (a *Agents) has(by actor.Actor, names ...core.AgentName) bool {
	available := a.available(by)
	return !slices.ContainsFunc(names, func(n core.AgentName) bool { return !slices.Contains(available, n) })
}
