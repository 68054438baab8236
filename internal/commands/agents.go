package commands

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

// agents lists those that the person may talk with.
func (r *Runner) agents(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := r.service.AgentsFor(ctx, c.by, c.key)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, a := range list {
		var marks []string
		if a.Active {
			marks = append(marks, c.Localize("agents.active"))
		}
		if a.Primary {
			marks = append(marks, c.Localize("agents.primary"))
		}
		if a.LastUsed && !c.open {
			marks = append(marks, c.Localize("agents.last"))
		}
		if len(marks) == 0 {
			b.WriteString(c.Localize("agents.line", "agent", a.Name.Display(), "description", a.Description) + "\n")
			continue
		}
		b.WriteString(c.Localize("agents.marked", "agent", a.Name.Display(), "marks", strings.Join(marks, ", "), "description", a.Description) + "\n")
	}
	if len(list) == 0 {
		return c.Localize("agents.none"), nil
	}
	own, err := r.registered(ctx, c)
	return b.String() + c.Localize("agents.foot") + own, err
}

// registered are the agents that the person has registered, a line each; nothing where others
// read it.
func (r *Runner) registered(ctx context.Context, c chat) (string, error) {
	if c.open {
		return "", nil
	}
	own, err := r.service.RegisteredAgents(ctx, c.by)
	if err != nil || len(own) == 0 {
		return "", err
	}
	lines := []string{"\n" + c.Localize("agents.own")}
	for _, a := range own {
		text := "agents.own_gone"
		if a.Connected {
			text = "agents.own_here"
		}
		lines = append(lines, c.Localize(text, "agent", a.Name.Display(), "description", a.Description, "since", r.clock(c, a.Seen)))
	}
	return strings.Join(lines, "\n"), nil
}

func (r *Runner) agent(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		active, err := r.service.ActiveAgent(ctx, c.by, c.key)
		if err != nil {
			return "", err
		}
		return c.Localize("agent.active", "agent", active.Display()), nil
	}
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	now, err := r.service.SwitchAgent(ctx, c.by, c.key, parseAgent(words[0]))
	if err != nil {
		return "", r.noAgent(c, words[0], err)
	}
	if now == r.service.RosterOf(c.key).Primary().Name {
		return c.Localize("supervisor.done", "agent", now.Display()), nil
	}
	return c.Localize("agent.switched", "agent", now.Display()), nil
}

// supervisor leads back to the primary agent, and says what that and the others do;
// not where the person has said already what they want.
func (r *Runner) supervisor(ctx context.Context, c chat, _ []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	now, err := r.service.SwitchAgent(ctx, c.by, c.key, "")
	if err != nil {
		return "", err
	}
	if c.then {
		return c.Localize("supervisor.done", "agent", now.Display()), nil
	}
	list, err := r.service.AgentsFor(ctx, c.by, c.key)
	if err != nil {
		return "", err
	}
	first, others := c.Localize("supervisor.done", "agent", now.Display()), ""
	for _, a := range list {
		switch {
		case a.Name == now:
			first = c.Localize("supervisor.here", "agent", a.Name.Display(), "description", a.Description)
		default:
			others += "\n" + c.Localize("supervisor.colleague", "agent", a.Name.Display(), "description", a.Description)
		}
	}
	if others != "" {
		others = "\n" + c.Localize("supervisor.colleagues") + others
	}
	return first + others + "\n" + c.Localize("supervisor.ask"), nil
}

func parseAgent(word string) errand.AgentName { return errand.AgentName(strings.ToLower(word)) }

// noAgent says why a conversation cannot be with the agent that was named: an
// [*Error], for the command was not carried out.
func (r *Runner) noAgent(c chat, word string, err error) error {
	name := parseAgent(word)
	var refusal *service.Error
	switch {
	case !errors.As(err, &refusal):
		return err
	case !r.knows(c, name):
		return r.unknownAgent(c, word)
	case refusal.Kind == service.KindForbidden || refusal.Kind == service.KindConflict:
		return service.Refuse(refusal.Kind, refusal.Code, "agent.closed", "agent", name.Display(), "primary", r.service.RosterOf(c.key).Primary().Name.Display())
	}
	return err
}

// knows reports whether there is an agent for the role of the person: others are not named.
func (r *Runner) knows(c chat, name errand.AgentName) bool {
	_, known := r.service.Roster.Agent(name)
	return known && r.service.Rights.May(c.by.Role, rights.Agent, string(name))
}

// unknownAgent names those that there are for the person.
func (r *Runner) unknownAgent(c chat, word string) error {
	var names []string
	for _, n := range r.service.Roster.Names() {
		if r.service.Rights.May(c.by.Role, rights.Agent, string(n)) {
			names = append(names, string(n))
		}
	}
	return service.Refuse(service.KindNotFound, "unknown_agent", "agent.unknown", "agent", errand.Cut(word, 40), "agents", strings.Join(names, ", "))
}
