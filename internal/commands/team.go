package commands

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"errand"
	"errand/internal/nearest"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/team"
	"errand/internal/texts"
)

// team asks the agents that are mentioned, and says at once who is on it. Nothing is
// delegated where something of the call cannot be meant.
func (r *Runner) team(ctx context.Context, c chat, _ []string) (string, error) {
	name, text, ok := r.procedureOf(c)
	if ok {
		return r.procedure(ctx, c, name, text)
	}
	if err := r.checkTeam(ctx, c, name); err != nil {
		return "", err
	}
	targets := make([]service.TeamTarget, len(c.call.Targets))
	for i, t := range c.call.Targets {
		targets[i] = service.TeamTarget{Agent: errand.AgentName(t.Name), Last: t.Last, Auto: t.Auto}
	}
	tasks, err := r.service.AskTeam(ctx, c.by, service.TeamRequest{Message: c.msg, Said: c.call.Before, Text: c.call.Task, Targets: targets})
	if err != nil && (len(tasks) == 0 || !errors.As(err, new(*service.Error))) {
		return "", err
	}
	lines := make([]string, len(tasks))
	for i, t := range tasks {
		args := []string{"agent", t.Agents[0].Display(), "task", string(t.ID), "context", c.briefed(t.Briefing)}
		switch {
		case t.Origin.Source != "":
			lines[i] = c.Localize("team.asked_there", args...)
		case t.Briefing != nil && t.Briefing.With == t.Agents[0]:
			lines[i] = c.Localize("team.asked_lead", args...)
		default:
			lines[i] = c.Localize("team.asked", args...)
		}
	}
	if err != nil { // it refuses the rest
		lines = append(lines, service.ErrorText(err, c.Texts))
	}
	return strings.Join(lines, "\n"), nil
}

// procedureOf is the procedure that a call without mentions begins with, and what is said
// to it.
func (r *Runner) procedureOf(c chat) (name, text string, ok bool) {
	if len(c.call.Targets) > 0 {
		return "", "", false
	}
	name = c.call.Task
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, text = name[:i], strings.TrimSpace(name[i:])
	}
	name = strings.ToLower(strings.TrimRight(name, ".,;:!"))
	return name, text, slices.Contains(r.service.ProcedureNames(c.by), name)
}

func (r *Runner) procedure(ctx context.Context, c chat, name, text string) (string, error) {
	t, err := r.service.AskProcedure(ctx, c.by, service.TeamRequest{Message: c.msg, Said: c.call.Before, Text: text}, name)
	if err != nil {
		return "", err
	}
	return c.Localize("team.procedure", "procedure", name, "agents", names(t.Agents), "task", string(t.ID), "context", c.briefed(t.Briefing)), nil
}

func (c chat) briefed(b *errand.Briefing) string {
	if b == nil {
		return c.Localize("team.none")
	}
	args := []string{"count", strconv.Itoa(len(b.Messages)), "of", strconv.Itoa(b.Of)}
	switch {
	case b.Choice == errand.BriefingMissing:
		return c.Localize("team.missing", args...)
	case b.Choice == errand.BriefingRanked:
		return c.Localize("team.ranked", args...)
	case len(b.Messages) == 0:
		return c.Localize("team.none")
	case len(b.Messages) == 1:
		return c.Localize("team.last_one")
	}
	return c.Localize("team.last", args...)
}

// checkTeam says what of a call cannot be meant, and what to do; nil: nothing. name is what
// stands for a procedure in a call without mentions.
func (r *Runner) checkTeam(ctx context.Context, c chat, name string) error {
	if err := r.service.MayAskTeam(c.by); err != nil {
		return err
	}
	var own []service.RegisteredAgent
	if !c.open { // in a group nobody else is told of somebody's editors
		var err error
		if own, err = r.service.RegisteredAgents(ctx, c.by); err != nil {
			return err
		}
	}
	askable := r.askable(c.by)
	known := slices.Clone(askable)
	for _, a := range own {
		if known = append(known, a.Name); a.Connected {
			askable = append(askable, a.Name)
		}
	}
	available := mentions(askable)
	var unknown, counts []string
	for _, t := range c.call.Targets {
		if !slices.Contains(known, errand.AgentName(t.Name)) {
			unknown = append(unknown, notFound(c, t, askable))
		}
		if t.BadCount != "" {
			counts = append(counts, errand.Cut(t.Typed, 40))
		}
	}
	procedures := r.service.ProcedureNames(c.by)
	near := nearest.Word(name, procedures)
	refuse := func(code string, text texts.Key, args ...any) error {
		return service.Invalid(code, text, append(args, "agents", available, "usage", c.cmd.usage(c.Texts), "example", c.cmd.example(c.Texts),
			"default", r.service.Team.TeamMessages(), "most", team.Most, "procedures", strings.Join(procedures, ", "))...)
	}
	switch {
	case len(c.call.Targets) == 0 && near != "":
		return refuse("procedure", "team.procedure_nearest", "typed", errand.Cut(name, 40), "nearest", near)
	case len(c.call.Targets) == 0 && len(procedures) > 0:
		return refuse("agent", "team.nobody_procedures")
	case len(c.call.Targets) == 0:
		return refuse("agent", "team.nobody")
	case len(unknown) > 0:
		return refuse("unknown_agent", "team.unknown", "unknown", strings.Join(unknown[:min(len(unknown), 10)], ", "))
	case len(counts) > 0:
		return refuse("context", "team.range", "typed", strings.Join(counts[:min(len(counts), 10)], ", "))
	case c.call.Task == "":
		return refuse("empty", "team.no_task", "typed", c.call.Targets[0].Typed)
	}
	return nil
}

func notFound(c chat, t team.Target, askable []errand.AgentName) string {
	typed := "@" + errand.Cut(t.Name, 40)
	if near := nearest.Word(t.Name, errand.Strings(askable)); near != "" {
		return c.Localize("team.nearest", "typed", typed, "nearest", near)
	}
	return typed
}

func (r *Runner) askable(by service.Actor) []errand.AgentName {
	return slices.DeleteFunc(r.service.Roster.Names(), func(n errand.AgentName) bool { return !r.service.Rights.May(by.Role, rights.Agent, string(n)) })
}

// mentions names agents as they are mentioned.
func mentions(agents []errand.AgentName) string {
	names := errand.Strings(agents)
	for i, n := range names {
		names[i] = "@" + n
	}
	return strings.Join(names, ", ")
}
