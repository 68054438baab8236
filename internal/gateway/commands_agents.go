package gateway

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

// agents lists those that the person may talk with.
func (g *Gateway) agents(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := g.AgentsFor(ctx, c.by, c.key)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, a := range list {
		var marks []string
		if a.Active {
			marks = append(marks, c.Say("agents.active"))
		}
		if a.Primary {
			marks = append(marks, c.Say("agents.primary"))
		}
		if a.LastUsed && !c.open {
			marks = append(marks, c.Say("agents.last"))
		}
		if len(marks) == 0 {
			b.WriteString(c.Say("agents.line", "agent", a.Name.Display(), "description", a.Description) + "\n")
			continue
		}
		b.WriteString(c.Say("agents.marked", "agent", a.Name.Display(), "marks", strings.Join(marks, ", "), "description", a.Description) + "\n")
	}
	if len(list) == 0 {
		return c.Say("agents.none"), nil
	}
	return b.String() + c.Say("agents.foot"), nil
}

// agent says which one is active, or switches.
func (g *Gateway) agent(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		active, err := g.ActiveAgent(ctx, c.key)
		if err != nil {
			return "", err
		}
		return c.Say("agent.active", "agent", active.Display()), nil
	}
	if err := g.mayForAll(c); err != nil {
		return "", err
	}
	now, err := g.SwitchAgent(ctx, c.by, c.key, agentNamed(words[0]))
	if err != nil {
		return "", g.noAgent(c, words[0], err)
	}
	if now == g.RosterOf(c.key).Primary().Name {
		return c.Say("supervisor.done", "agent", now.Display()), nil
	}
	return c.Say("agent.switched", "agent", now.Display()), nil
}

// supervisor leads back to the primary agent, and says what that and the others do;
// not where the person has said already what they want.
func (g *Gateway) supervisor(ctx context.Context, c chat, _ []string) (string, error) {
	if err := g.mayForAll(c); err != nil {
		return "", err
	}
	now, err := g.SwitchAgent(ctx, c.by, c.key, "")
	if err != nil {
		return "", err
	}
	if c.then {
		return c.Say("supervisor.done", "agent", now.Display()), nil
	}
	list, err := g.AgentsFor(ctx, c.by, c.key)
	if err != nil {
		return "", err
	}
	first, others := c.Say("supervisor.done", "agent", now.Display()), ""
	for _, a := range list {
		switch {
		case a.Name == now:
			first = c.Say("supervisor.here", "agent", a.Name.Display(), "description", a.Description)
		default:
			others += "\n" + c.Say("supervisor.colleague", "agent", a.Name.Display(), "description", a.Description)
		}
	}
	if others != "" {
		others = "\n" + c.Say("supervisor.colleagues") + others
	}
	return first + others + "\n" + c.Say("supervisor.ask"), nil
}

// agentNamed is the agent that somebody means who types a name.
func agentNamed(word string) errand.AgentName { return errand.AgentName(strings.ToLower(word)) }

// noAgent says why a conversation cannot be with the agent that was named: an
// [*Error], for the command was not carried out.
func (g *Gateway) noAgent(c chat, word string, err error) error {
	name := agentNamed(word)
	_, known := g.Roster.Agent(name)
	var told *service.Error
	switch {
	case !errors.As(err, &told):
		return err
	case !known:
		return &service.Error{Status: told.Status, Code: told.Code, Message: g.unknownAgent(c, word)}
	case !g.Rights.May(c.by.Role, rights.Agent, string(name)):
		return &service.Error{Status: told.Status, Code: told.Code, Message: c.Say("command.forbidden", "command", name.Display(),
			"role", g.Rights.Name(g.Rights.Least(rights.Agent, string(name))), "yours", g.Rights.Name(c.by.Role))}
	case told.Status == http.StatusForbidden || told.Status == http.StatusConflict:
		return &service.Error{Status: told.Status, Code: told.Code, Message: c.Say("agent.closed", "agent", name.Display(), "primary", g.RosterOf(c.key).Primary().Name.Display())}
	}
	return err
}

// unknownAgent names those that there are for the person.
func (g *Gateway) unknownAgent(c chat, word string) string {
	var names []string
	for _, n := range g.Roster.Names() {
		if g.Rights.May(c.by.Role, rights.Agent, string(n)) {
			names = append(names, string(n))
		}
	}
	return c.Say("agent.unknown", "agent", errand.Cut(word, 40), "agents", strings.Join(names, ", "))
}
