package service

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/workflows"
)

// SwitchAgent puts an agent in charge of a conversation and returns its name;
// without a name the primary agent. No model is called. A person may switch to
// the agents that the active one, or the primary, hands over to.
func (s *Service) SwitchAgent(ctx context.Context, by Actor, key errand.SessionKey, name errand.AgentName) (errand.AgentName, error) {
	if err := s.may(by, rights.SessionsSwitch); err != nil {
		return "", err
	}
	command := "/agent"
	if name == "" {
		command = "/supervisor"
	}
	if err := cmp.Or(s.changes(by, key), s.forAll(by, key, command)); err != nil {
		return "", err
	}
	here := s.RosterOf(key)
	primary := here.Primary().Name
	if name == "" {
		name = primary
	}
	active, err := s.readActiveAgent(ctx, key)
	if err != nil {
		return "", err
	}
	if err := s.maySwitch(by, here, active, name); err != nil {
		return "", err
	}
	if err := s.Store.HandOver(ctx, key, name, here.StickFor(name, s.StickyFor)); err != nil {
		return name, err
	}
	s.handedOver(key, active, name, "person")
	return name, nil
}

func (s *Service) handedOver(key errand.SessionKey, from, to errand.AgentName, cause string) {
	if from == to {
		return
	}
	s.HandOvers.Add(string(from), string(to), cause)
	route, _, _ := key.Parse()
	s.Logger.Info("conversation handed over", "channel", route.Channel, "from", from, "to", to, "cause", cause)
}

// RosterOf is the roster as it is on the account that a conversation is on.
func (s *Service) RosterOf(key errand.SessionKey) *agents.Roster {
	return s.Accounts.OfSession(s.Roster, key)
}

// ActiveAgent is the agent that a conversation is with.
func (s *Service) ActiveAgent(ctx context.Context, by Actor, key errand.SessionKey) (errand.AgentName, error) {
	if err := s.may(by, rights.AgentsRead); err != nil {
		return "", err
	}
	if err := s.reads(by, key); err != nil {
		return "", err
	}
	return s.readActiveAgent(ctx, key)
}

func (s *Service) readActiveAgent(ctx context.Context, key errand.SessionKey) (errand.AgentName, error) {
	now, err := s.Store.Current(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return s.beginsWith(ctx, key)
	}
	return now.Agent, err
}

func (s *Service) openSession(ctx context.Context, key errand.SessionKey) (errand.SessionID, error) {
	agent, err := s.beginsWith(ctx, key)
	if err != nil {
		return "", err
	}
	found, err := s.Store.Rehydrate(ctx, key, agent)
	return found.Session, err
}

func (s *Service) beginsWith(ctx context.Context, key errand.SessionKey) (errand.AgentName, error) {
	here := s.RosterOf(key)
	primary := here.Primary().Name
	_, id, err := key.Parse()
	if err != nil || !s.BeginWithLast || id == errand.Everyone || primary != s.Roster.Primary().Name {
		return primary, err
	}
	person, err := s.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return primary, nil
	}
	if err != nil || person.LastAgent == "" || s.maySwitch(Actor{Person: id, Role: person.Role}, here, primary, person.LastAgent) != nil {
		return primary, err
	}
	return person.LastAgent, nil
}

// maySwitch says why a conversation that is with active may not be switched to
// another agent; nil if it may.
func (s *Service) maySwitch(by Actor, here *agents.Roster, active, to errand.AgentName) error {
	agent, known := here.Agent(to)
	primary := here.Primary().Name
	switch {
	case known && (to == primary || to == active):
		return nil
	case !known || !s.Rights.May(by.Role, rights.Agent, string(to)): // agents above a role are not named to it
		return Refuse(KindNotFound, "unknown_agent", "refusal.unknown_agent", "agent", errand.Cut(string(to), 40), "agents", s.agentNames(by))
	case !s.Sticky:
		return conflict("not_sticky", "refusal.stays", "primary", primary.Display())
	case agent.NotSticky:
		return conflict("not_sticky", "refusal.no_conversations", "agent", to.Display(), "primary", primary.Display())
	}
	for _, from := range []errand.AgentName{active, primary} {
		for _, h := range here.HandoffTo(from) {
			if h.Name == to {
				return nil
			}
		}
	}
	return Forbidden("refusal.no_handoff", "agent", to.Display())
}

// NewSession ends the session of a conversation and begins another, with agent
// if one is named. The same message does so once.
func (s *Service) NewSession(ctx context.Context, by Actor, key errand.SessionKey, agent errand.AgentName, messageID string) (errand.SessionID, error) {
	if err := s.may(by, rights.SessionsReset); err != nil {
		return "", err
	}
	if !IsExternalID(messageID) { // Temporal takes no longer ones, and would say so to nobody
		return "", BadMessageID()
	}
	command := "/new"
	if agent == "" {
		command = "/reset"
	}
	if err := cmp.Or(s.changes(by, key), s.forAll(by, key, command)); err != nil {
		return "", err
	}
	update := workflows.ResetUpdate{}
	if agent == "" {
		return s.Dispatch.ResetSession(ctx, key, messageID, update)
	}
	here := s.RosterOf(key)
	if err := s.maySwitch(by, here, here.Primary().Name, agent); err != nil {
		return "", err
	}
	active, err := s.readActiveAgent(ctx, key)
	if err != nil {
		return "", err
	}
	update.Agent, update.StickFor = agent, here.StickFor(agent, s.StickyFor)
	id, err := s.Dispatch.ResetSession(ctx, key, messageID, update)
	if err == nil {
		s.handedOver(key, active, agent, "new_session")
	}
	return id, err
}

// availableAgents are the names of the agents that an actor may talk with: those above
// their role are not named.
func (s *Service) availableAgents(by Actor) []errand.AgentName {
	return slices.DeleteFunc(s.Roster.Names(), func(n errand.AgentName) bool { return !s.Rights.May(by.Role, rights.Agent, string(n)) })
}

// knows reports whether all these agents are there for an actor.
func (s *Service) knows(by Actor, names ...errand.AgentName) bool {
	available := s.availableAgents(by)
	return !slices.ContainsFunc(names, func(n errand.AgentName) bool { return !slices.Contains(available, n) })
}

// An AgentView is an agent as one person sees it in one conversation.
type AgentView struct {
	Name        errand.AgentName `json:"name"`
	Description string           `json:"description"`
	Primary     bool             `json:"primary"`
	Active      bool             `json:"active"`    // the conversation is with it
	LastUsed    bool             `json:"last_used"` // the last other than the primary that the person talked with
	Talks       bool             `json:"talks" description:"the chat can be switched to it"`
}

// AgentsFor lists the agents that are there for a person. key may be empty.
func (s *Service) AgentsFor(ctx context.Context, by Actor, key errand.SessionKey) ([]AgentView, error) {
	if err := s.may(by, rights.AgentsRead); err != nil {
		return nil, err
	}
	if key != "" {
		if err := s.reads(by, key); err != nil {
			return nil, err
		}
	}
	here := s.RosterOf(key)
	primary := here.Primary().Name
	active := primary
	var err error
	if key != "" {
		if active, err = s.readActiveAgent(ctx, key); err != nil {
			return nil, err
		}
	}
	person, err := s.Store.Person(ctx, by.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	var list []AgentView
	for _, n := range s.availableAgents(by) {
		a, _ := s.Roster.Agent(n)
		list = append(list, AgentView{n, a.Description, n == primary, n == active, n == person.LastAgent, s.maySwitch(by, here, active, n) == nil})
	}
	return list, nil
}
