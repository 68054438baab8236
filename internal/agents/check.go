package agents

import (
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
)

// Rules are what a roster is checked against. The zero value accepts all models and tools.
type Rules struct {
	Models  []string // keys of configured models; nil: not checked
	Tools   []string // names of existing tools; nil: not checked
	Servers []string // names of MCP servers; nil: not checked
	Skills  []Skill  // existing skills, by name
}

// knowsTool returns true for every MCP tool, because these are unknown until the
// server is connected.
func (r Rules) knowsTool(name string) bool {
	return strings.Contains(name, ".") || slices.ContainsFunc(r.Tools, func(t string) bool { return core.Matches(name, t) })
}

func (r Rules) knowsServer(name string) bool {
	server, _, dotted := strings.Cut(name, ".")
	return !dotted || core.IsPattern(server) || slices.Contains(r.Servers, server)
}

// A Problem is one reason to refuse a roster.
type Problem struct {
	Agent core.AgentName // empty: the whole roster
	Field string         // as in errand.yaml: "delegates"; empty: the whole agent
	Index int            // position in a list
	Text  string         // the problem: `unknown model "gpt-x"`

	// Value is an unknown name. Known are the existing names, for suggestions.
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

// Problems are all reasons to refuse a roster, at least one.
type Problems []*Problem

// Error returns one problem per line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

func (r *Roster) check(primary core.AgentName, rules Rules) Problems {
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
			Value: string(primary), Known: core.Strings(r.Names()),
		})
	}
	reached := r.reachable()
	for _, name := range r.Names() {
		if !reached[name] {
			ps = append(ps, &Problem{Agent: name, Text: fmt.Sprintf("no agent can reach it: add it to delegates or handoff_to of %q, the primary agent, or of an agent that %[1]q can reach", primary)})
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
		fault("", 0, "", nil, "the name must begin with a small letter and have at most 31 small letters, digits, _ and -")
	}
	remote := a.Kind.IsRemote()
	switch {
	case a.Kind != core.LocalAgent && !remote:
		fault("kind", 0, string(a.Kind), []string{string(core.LocalAgent), string(core.RemoteAgent), string(core.CodingAgent)}, "unknown kind %q", a.Kind)
	case remote && a == r.primary:
		fault("", 0, "", nil, "is a remote agent: a session cannot begin with it")
	case remote && a.Description == "":
		fault("description", 0, "", nil, "description is missing: other agents choose it by this")
	case remote && !a.NotSticky:
		fault("", 0, "", nil, "is a remote agent: it takes no handovers")
	}
	if a.Instructions == "" && !remote {
		fault("instructions", 0, "", nil, "instructions are missing: set instructions or instructions_file")
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
			fault("delegates", i, string(d), core.Strings(r.Names()), "unknown delegate %q", d)
		case slices.Contains(a.Delegates[:i], d):
			fault("delegates", i, "", nil, "delegate %q is listed twice", d)
		}
	}
	for i, h := range a.HandoffTo {
		switch b, known := r.byName[h]; {
		case h == a.Name:
			fault("handoff_to", i, "", nil, "hands over to itself")
		case !known:
			fault("handoff_to", i, string(h), core.Strings(r.Names()), "unknown agent %q in handoff_to", h)
		case b.NotSticky:
			fault("handoff_to", i, "", nil, "agent %q in handoff_to takes no handovers: it has sticky: false or is a remote agent", h)
		case slices.Contains(a.HandoffTo[:i], h):
			fault("handoff_to", i, "", nil, "agent %q is listed twice in handoff_to", h)
		}
	}
	for _, f := range []struct {
		field string
		role  core.Role
	}{{"role", a.Role}, {"acts_as", a.ActsAs}} {
		if !f.role.Valid() {
			fault(f.field, 0, string(f.role), core.Strings(core.Roles()), "there is no role %q", f.role)
		}
	}
	if a.StickyFor < 0 {
		fault("sticky_for", 0, "", nil, "sticky_for: %v is negative", a.StickyFor)
	}
	ps = append(ps, a.checkNotification()...)
	for i, t := range a.Tools {
		switch {
		case rules.Tools != nil && !rules.knowsTool(t):
			fault("tools", i, t, rules.Tools, "unknown tool %q", t)
		case rules.Servers != nil && !rules.knowsServer(t):
			server, _, _ := strings.Cut(t, ".")
			fault("tools", i, server, rules.Servers, "tool %q: there is no MCP server %q in mcp_servers", t, server)
		case slices.Contains(a.Tools[:i], t):
			fault("tools", i, "", nil, "tool %q is listed twice", t)
		}
	}
	a.checkSkills(rules.Skills, fault)
	return ps
}

func (r *Roster) reachable() map[core.AgentName]bool {
	reached := map[core.AgentName]bool{r.primary.Name: true}
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
