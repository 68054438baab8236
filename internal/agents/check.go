package agents

import (
	"fmt"
	"slices"
	"strings"

	"errand"
)

// Rules are what a roster is checked against beyond itself. Of the zero value,
// every model and every tool is known.
type Rules struct {
	Models  []string // keys of the configured models; nil: not checked
	Tools   []string // names of the tools there are; nil: not checked
	Servers []string // names of the MCP servers; nil: not checked
	Skills  []Skill  // those that there are, by name
}

// knowsTool reports whether there can be a tool of that name, or one that the pattern
// stands for. Which tools an MCP server has is not known before it is asked.
func (r Rules) knowsTool(name string) bool {
	return strings.Contains(name, ".") || slices.ContainsFunc(r.Tools, func(t string) bool { return errand.Matches(name, t) })
}

// knowsServer reports whether there can be an MCP server that has a tool of that name.
func (r Rules) knowsServer(name string) bool {
	server, _, dotted := strings.Cut(name, ".")
	return !dotted || errand.IsPattern(server) || slices.Contains(r.Servers, server)
}

// A Problem is one reason to refuse a roster. It says where the fault is, so
// that whoever read the roster from a file can name the line.
type Problem struct {
	Agent errand.AgentName // empty: the roster as a whole
	Field string           // in the words of errand.yaml, "delegates"; empty: the agent as a whole
	Index int              // of the element in a list
	Text  string           // what is wrong: `unknown model "gpt-x"`

	// Value is a name that nothing answers to, Known those that exist: enough
	// to suggest the nearest.
	Value string
	Known []string
}

// Error returns p as `agent "writer": unknown model "gpt-x"`.
func (p *Problem) Error() string {
	if p.Agent == "" {
		return p.Text
	}
	return fmt.Sprintf("agent %q: %s", p.Agent, p.Text)
}

// Problems are all the reasons to refuse a roster; never empty where it is an
// error.
type Problems []*Problem

// Error returns one problem a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

func (r *Roster) check(primary errand.AgentName, rules Rules) Problems {
	var ps Problems
	for _, name := range r.Names() {
		ps = append(ps, r.checkAgent(r.byName[name], rules)...)
	}
	switch {
	case len(r.byName) == 0:
		return append(ps, &Problem{Text: "there are no agents"})
	case primary == "":
		return append(ps, &Problem{Field: "primary", Text: "primary is missing: name the agent that a session starts with"})
	case r.primary == nil:
		return append(ps, &Problem{
			Field: "primary", Text: fmt.Sprintf("primary: unknown agent %q", primary),
			Value: string(primary), Known: errand.Strings(r.Names()),
		})
	}
	reached := r.reachable()
	for _, name := range r.Names() {
		if !reached[name] {
			ps = append(ps, &Problem{Agent: name, Text: fmt.Sprintf("nobody can reach it: neither %q, the primary agent, nor any agent below it delegates or hands over to it", primary)})
		}
	}
	return ps
}

func (r *Roster) checkAgent(a *Agent, rules Rules) Problems {
	var ps Problems
	fault := func(field string, i int, value string, known []string, format string, args ...any) {
		ps = append(ps, &Problem{Agent: a.Name, Field: field, Index: i, Value: value, Known: known, Text: fmt.Sprintf(format, args...)})
	}
	if !validName.MatchString(string(a.Name)) {
		fault("", 0, "", nil, "the name must match %s", NamePattern)
	}
	remote := a.Kind.IsRemote()
	switch {
	case a.Kind != errand.LocalAgent && !remote:
		fault("kind", 0, string(a.Kind), []string{string(errand.LocalAgent), string(errand.RemoteAgent), string(errand.CodingAgent)}, "unknown kind %q", a.Kind)
	case remote && a == r.primary:
		fault("", 0, "", nil, "is a remote agent, and a session cannot begin with one: it is sent on errands")
	case remote && a.Description == "":
		fault("description", 0, "", nil, "description is missing: it tells callers what the agent is good at")
	case remote && !a.NotSticky:
		fault("", 0, "", nil, "is a remote agent, and no conversation is handed over to one")
	}
	if a.Instructions == "" && !remote {
		fault("instructions", 0, "", nil, "instructions are missing")
	}
	if rules.Models != nil && !remote && !slices.Contains(rules.Models, a.Model) {
		fault("model", 0, a.Model, rules.Models, "unknown model %q", a.Model)
	}
	if a.MaxSteps < 1 || a.MaxSteps > MaxMaxSteps {
		fault("max_steps", 0, "", nil, "max_steps: %d is not between 1 and %d", a.MaxSteps, MaxMaxSteps)
	}
	for i, d := range a.Delegates {
		switch _, known := r.byName[d]; {
		case d == a.Name:
			fault("delegates", i, "", nil, "delegates to itself")
		case !known:
			fault("delegates", i, string(d), errand.Strings(r.Names()), "unknown delegate %q", d)
		case slices.Contains(a.Delegates[:i], d):
			fault("delegates", i, "", nil, "delegate %q is listed twice", d)
		}
	}
	for i, h := range a.HandoffTo {
		switch b, known := r.byName[h]; {
		case h == a.Name:
			fault("handoff_to", i, "", nil, "hands over to itself")
		case !known:
			fault("handoff_to", i, string(h), errand.Strings(r.Names()), "unknown agent %q in handoff_to", h)
		case b.NotSticky:
			fault("handoff_to", i, "", nil, "agent %q is not sticky: nothing can be handed over to it", h)
		case slices.Contains(a.HandoffTo[:i], h):
			fault("handoff_to", i, "", nil, "agent %q is listed twice in handoff_to", h)
		}
	}
	for _, f := range []struct {
		field string
		role  errand.Role
	}{{"role", a.Role}, {"acts_as", a.ActsAs}} {
		if !f.role.Valid() {
			fault(f.field, 0, string(f.role), errand.Strings(errand.Roles()), "there is no role %q", f.role)
		}
	}
	if a.StickyFor < 0 {
		fault("sticky_for", 0, "", nil, "sticky_for: %v is less than nothing", a.StickyFor)
	}
	ps = append(ps, a.checkNotification()...)
	for i, t := range a.Tools {
		switch {
		case rules.Tools != nil && !rules.knowsTool(t):
			fault("tools", i, t, rules.Tools, "unknown tool %q", t)
		case rules.Servers != nil && !rules.knowsServer(t):
			server, _, _ := strings.Cut(t, ".")
			fault("tools", i, server, rules.Servers, "tool %q: there is no MCP server %q", t, server)
		case slices.Contains(a.Tools[:i], t):
			fault("tools", i, "", nil, "tool %q is listed twice", t)
		}
	}
	a.checkSkills(rules.Skills, fault)
	return ps
}

// reachable walks the delegates, and those to whom is handed over, down from the
// primary agent.
func (r *Roster) reachable() map[errand.AgentName]bool {
	reached := map[errand.AgentName]bool{r.primary.Name: true}
	next := []*Agent{r.primary}
	for len(next) > 0 {
		a := next[0]
		next = next[1:]
		for _, d := range slices.Concat(a.Delegates, a.HandoffTo) {
			if b, ok := r.byName[d]; ok && !reached[d] {
				reached[d] = true
				next = append(next, b)
			}
		}
	}
	return reached
}
