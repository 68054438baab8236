package commands

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// team delegates nothing if any part of the call is invalid.
func (r *Runner) team(ctx context.Context, c chat, _ []string) (string, error) {
	procedures, err := r.procedures(ctx, c.by)
	if err != nil {
		return "", err
	}
	name, text := procedureOf(c.call)
	if slices.Contains(procedures, name) {
		return r.procedure(ctx, c, name, text)
	}
	if err := r.checkTeam(ctx, c, name, procedures); err != nil {
		return "", err
	}
	in := api.AskTeamInput{TeamRequest: c.teamRequest(c.call.Task)}
	for _, t := range c.call.Targets {
		in.Targets = append(in.Targets, api.TeamTarget{Agent: core.AgentName(t.Name), Last: t.Last, Auto: t.Auto})
	}
	asked, err := ops.Do(ctx, r.deps.Runner, api.AskTeam, c.by, in)
	if err != nil {
		return "", err
	}
	lines := make([]string, len(asked.Tasks))
	for i, t := range asked.Tasks {
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
	if asked.Refused != nil {
		lines = append(lines, service.ErrorText(asked.Refused, c.Texts))
	}
	return strings.Join(lines, "\n"), nil
}

// procedures returns the names of the procedures that the actor may start. It fails for actors who
// may not use /team.
func (r *Runner) procedures(ctx context.Context, by actor.Actor) ([]string, error) {
	return ops.Do(ctx, r.deps.Runner, api.ListProcedures, by, api.None{})
}

// procedureOf splits a call without mentions into the name of a procedure and the text after it.
func procedureOf(call core.TeamCall) (name, text string) {
	if len(call.Targets) > 0 {
		return "", ""
	}
	name = call.Task
	if i := strings.IndexFunc(name, unicode.IsSpace); i >= 0 {
		name, text = name[:i], strings.TrimSpace(name[i:])
	}
	return strings.ToLower(strings.TrimRight(name, ".,;:!")), text
}

func (c chat) teamRequest(text string) api.TeamRequest {
	return api.TeamRequest{ConversationKey: c.conversation(), Route: c.route, Group: c.group, MessageID: c.id, Text: text, Said: c.call.Before}
}

func (r *Runner) procedure(ctx context.Context, c chat, name, text string) (string, error) {
	t, err := ops.Do(ctx, r.deps.Runner, api.AskProcedure, c.by, api.AskProcedureInput{TeamRequest: c.teamRequest(text), Name: name})
	if err != nil {
		return "", err
	}
	return c.Localize("team.procedure", "procedure", name, "agents", names(t.Agents),
		"task", string(t.ID), "context", c.briefed(t.Briefing)), nil
}

func (c chat) briefed(b *core.Briefing) string {
	if b == nil {
		return c.Localize("team.none")
	}
	args := []string{"count", strconv.Itoa(len(b.Messages)), "of", strconv.Itoa(b.Of)}
	switch {
	case b.Choice == core.BriefingMissing:
		return c.Localize("team.missing", args...)
	case b.Choice == core.BriefingRanked:
		return c.Localize("team.ranked", args...)
	case len(b.Messages) == 0:
		return c.Localize("team.none")
	case len(b.Messages) == 1:
		return c.Localize("team.last_one")
	}
	return c.Localize("team.last", args...)
}

// checkTeam returns an error for an invalid call. name is the first word of a call without mentions.
func (r *Runner) checkTeam(ctx context.Context, c chat, name string, procedures []string) error {
	var own []core.RegisteredAgent
	if !c.open { // in a group, only the person knows of their own editors
		var err error
		if own, err = ops.Do(ctx, r.deps.Runner, api.ListRegisteredAgents, c.by, api.None{}); err != nil {
			return err
		}
	}
	askable := r.askable(c.by)
	for _, a := range own {
		askable = append(askable, a.Name)
	}
	available := mentions(askable)
	var unknown, counts []string
	for _, t := range c.call.Targets {
		if !slices.Contains(askable, core.AgentName(t.Name)) {
			unknown = append(unknown, notFound(c, t, askable))
		}
		if t.BadCount != "" {
			counts = append(counts, core.Cut(t.Typed, 40))
		}
	}
	near := content.NearestWord(name, procedures)
	refuse := func(code string, text texts.Key, args ...any) error {
		return service.Invalid(code, text, append(args, "agents", available, "usage", c.cmd.usage(c.Texts), "example", c.cmd.example(c.Texts),
			"default", r.deps.TeamMessages, "most", core.MaxTeamMessages, "procedures", strings.Join(procedures, ", "))...)
	}
	switch {
	case len(c.call.Targets) == 0 && near != "":
		return refuse("procedure", "team.procedure_nearest", "typed", core.Cut(name, 40), "nearest", near)
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

func notFound(c chat, t core.TeamTarget, askable []core.AgentName) string {
	typed := "@" + core.Cut(t.Name, 40)
	if near := content.NearestWord(t.Name, core.Strings(askable)); near != "" {
		return c.Localize("team.nearest", "typed", typed, "nearest", near)
	}
	return typed
}

func (r *Runner) askable(by actor.Actor) []core.AgentName {
	return slices.DeleteFunc(r.deps.Roster.Names(), func(n core.AgentName) bool {
		return !r.deps.Rights.May(by.Role, rights.Agent, string(n))
	})
}

func mentions(agents []core.AgentName) string {
	names := core.Strings(agents)
	for i, n := range names {
		names[i] = "@" + n
	}
	return strings.Join(names, ", ")
}
