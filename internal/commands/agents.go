package commands

import (
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
)

func (r *Runner) agents(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := ops.Do(ctx, r.deps.Runner, api.ListAgents, c.by, api.ListAgentsInput{ConversationKey: c.conversation()})
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

// registered returns an empty text if other people read the answer.
func (r *Runner) registered(ctx context.Context, c chat) (string, error) {
	if c.open {
		return "", nil
	}
	own, err := ops.Do(ctx, r.deps.Runner, api.ListRegisteredAgents, c.by, api.None{})
	if err != nil || len(own) == 0 {
		return "", err
	}
	lines := []string{"\n" + c.Localize("agents.own")}
	for _, a := range own {
		lines = append(lines, c.Localize("agents.line", "agent", a.Name.Display(), "description", a.Description))
	}
	return strings.Join(lines, "\n"), nil
}

func (r *Runner) agent(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		active, err := ops.Do(ctx, r.deps.Runner, api.GetActiveAgent, c.by, c.conversation())
		if err != nil {
			return "", err
		}
		return c.Localize("agent.active", "agent", active.Display()), nil
	}
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	now, err := r.switchTo(ctx, c, parseAgent(words[0]))
	if err != nil {
		return "", r.noAgent(c, words[0], err)
	}
	if now == r.deps.RosterOf(c.key).Primary().Name {
		return c.Localize("supervisor.done", "agent", now.Display()), nil
	}
	return c.Localize("agent.switched", "agent", now.Display()), nil
}

// supervisor describes the agents' work, unless a message follows the command.
func (r *Runner) supervisor(ctx context.Context, c chat, _ []string) (string, error) {
	if err := r.mayForAll(c); err != nil {
		return "", err
	}
	now, err := r.switchTo(ctx, c, "")
	if err != nil {
		return "", err
	}
	if c.then {
		return c.Localize("supervisor.done", "agent", now.Display()), nil
	}
	list, err := ops.Do(ctx, r.deps.Runner, api.ListAgents, c.by, api.ListAgentsInput{ConversationKey: c.conversation()})
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

func (r *Runner) switchTo(ctx context.Context, c chat, agent core.AgentName) (core.AgentName, error) {
	return ops.Do(ctx, r.deps.Runner, api.SwitchAgent, c.by, api.SwitchAgentInput{ConversationKey: c.conversation(), Agent: agent})
}

func parseAgent(word string) core.AgentName { return core.AgentName(strings.ToLower(word)) }

// noAgent returns a [*Error], because errand did not carry out the command.
func (r *Runner) noAgent(c chat, word string, err error) error {
	name := parseAgent(word)
	var refusal *service.Error
	switch {
	case !errors.As(err, &refusal):
		return err
	case !r.knows(c, name):
		return r.unknownAgent(c, word)
	case refusal.Kind == service.KindForbidden || refusal.Kind == service.KindConflict:
		return service.Refuse(refusal.Kind, refusal.Code, "agent.closed", "agent", name.Display(), "primary", r.deps.RosterOf(c.key).Primary().Name.Display())
	}
	return err
}

func (r *Runner) knows(c chat, name core.AgentName) bool {
	_, known := r.deps.Roster.Agent(name)
	return known && r.deps.Rights.May(c.by.Role, rights.Agent, string(name))
}

func (r *Runner) unknownAgent(c chat, word string) error {
	var names []string
	for _, n := range r.deps.Roster.Names() {
		if r.deps.Rights.May(c.by.Role, rights.Agent, string(n)) {
			names = append(names, string(n))
		}
	}
	return service.Refuse(service.KindNotFound, "unknown_agent", "agent.unknown", "agent", core.Cut(word, 40), "agents", strings.Join(names, ", "))
}
