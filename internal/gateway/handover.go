package gateway

import (
	"context"
	"errors"
	"net/http"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/workflows"
)

// SwitchAgent puts an agent in charge of a conversation and returns its name;
// without a name the primary agent. No model is called. A person may switch to
// the agents that the active one, or the primary, hands over to.
func (g *Gateway) SwitchAgent(ctx context.Context, by Actor, key errand.SessionKey, name errand.AgentName) (errand.AgentName, error) {
	here := g.rosterOf(key)
	primary := here.Primary().Name
	if name == "" {
		name = primary
	}
	active, err := g.activeAgent(ctx, key)
	if err != nil {
		return "", err
	}
	if err := g.maySwitch(by, here, active, name); err != nil {
		return "", err
	}
	if err := g.Store.HandOver(ctx, key, name, here.StickFor(name, g.StickyFor)); err != nil {
		return name, err
	}
	g.handedOver(key, active, name, "person")
	return name, nil
}

// handedOver counts and logs that a person has chosen another agent.
func (g *Gateway) handedOver(key errand.SessionKey, from, to errand.AgentName, cause string) {
	if from == to {
		return
	}
	g.HandOvers.Add(string(from), string(to), cause)
	route, _, _ := key.Parse()
	g.Logger.Info("conversation handed over", "channel", route.Channel, "from", from, "to", to, "cause", cause)
}

// rosterOf is the roster as it is on the account that a conversation is on.
func (g *Gateway) rosterOf(key errand.SessionKey) *agents.Roster {
	return g.Accounts.OfSession(g.Roster, key)
}

func (g *Gateway) activeAgent(ctx context.Context, key errand.SessionKey) (errand.AgentName, error) {
	now, err := g.Store.Current(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return g.rosterOf(key).Primary().Name, nil
	}
	return now.Agent, err
}

// maySwitch says why a conversation that is with active may not be switched to
// another agent; nil if it may.
func (g *Gateway) maySwitch(by Actor, here *agents.Roster, active, to errand.AgentName) error {
	agent, known := here.Agent(to)
	primary := here.Primary().Name
	switch {
	case !known:
		return &Error{http.StatusNotFound, "unknown_agent", "there is no agent " + errand.Cut(string(to), 40) + "; there are " + g.agentNames()}
	case to == primary || to == active:
		return nil
	case !g.Rights.May(by.Role, rights.Agent, string(to)):
		return forbidden("%s is for the role %s and above; yours is %s", to.Display(), g.Rights.Name(agent.Role), g.Rights.Name(by.Role))
	case !g.Sticky:
		return &Error{http.StatusConflict, "not_sticky", "conversations stay with " + primary.Display() + " here; ask for what you want, and " + primary.Display() + " sees to it"}
	case agent.NotSticky:
		return &Error{http.StatusConflict, "not_sticky", to.Display() + " takes no conversations; ask " + primary.Display() + ", who sends errands there"}
	}
	for _, from := range []errand.AgentName{active, primary} {
		for _, h := range here.HandoffTo(from) {
			if h.Name == to {
				return nil
			}
		}
	}
	return forbidden("no agent hands conversations over to %s", to.Display())
}

// NewSession ends the session of a conversation and begins another, with agent
// if one is named. The same message does so once.
func (g *Gateway) NewSession(ctx context.Context, by Actor, key errand.SessionKey, agent errand.AgentName, messageID string) (errand.SessionID, error) {
	update := workflows.ResetUpdate{}
	if agent == "" {
		return g.Dispatch.ResetSession(ctx, key, messageID, update)
	}
	here := g.rosterOf(key)
	if err := g.maySwitch(by, here, here.Primary().Name, agent); err != nil {
		return "", err
	}
	active, err := g.activeAgent(ctx, key)
	if err != nil {
		return "", err
	}
	update.Agent, update.StickFor = agent, here.StickFor(agent, g.StickyFor)
	id, err := g.Dispatch.ResetSession(ctx, key, messageID, update)
	if err == nil {
		g.handedOver(key, active, agent, "new_session")
	}
	return id, err
}

// An AgentView is an agent as one person sees it in one conversation.
type AgentView struct {
	Name        errand.AgentName `json:"name"`
	Description string           `json:"description"`
	Primary     bool             `json:"primary"`
	Active      bool             `json:"active"`    // the conversation is with it
	LastUsed    bool             `json:"last_used"` // the last other than the primary that the person talked with
	Talks       bool             `json:"talks"`     // a conversation can be switched to it
}

// AgentsFor lists the agents that are there for a person. key may be empty.
func (g *Gateway) AgentsFor(ctx context.Context, by Actor, key errand.SessionKey) ([]AgentView, error) {
	here := g.rosterOf(key)
	primary := here.Primary().Name
	active := primary
	var err error
	if key != "" {
		if active, err = g.activeAgent(ctx, key); err != nil {
			return nil, err
		}
	}
	person, err := g.Store.Person(ctx, by.Person)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	var list []AgentView
	for _, n := range g.Roster.Names() {
		if !g.Rights.May(by.Role, rights.Agent, string(n)) {
			continue
		}
		a, _ := g.Roster.Agent(n)
		list = append(list, AgentView{n, a.Description, n == primary, n == active, n == person.LastAgent, g.maySwitch(by, here, active, n) == nil})
	}
	return list, nil
}
