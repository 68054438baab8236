// Package rights says who may do what: the least role for every capability, tool
// and agent, and which capability every tool, command and route of the API needs.
// There is one table; docs/rights.md shows it.
package rights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand"
)

// A Kind is a kind of thing that can be done.
type Kind string

// The kinds.
const (
	// Capability is what the service lets somebody do, whatever door they came in by.
	Capability Kind = "capability"
	Tool       Kind = "tool"    // by an agent, for the person it talks with
	Agent      Kind = "agent"   // to talk with it, or to have it sent on an errand
	Command    Kind = "command" // typed in a chat: "/cancel"
	Route      Kind = "route"   // of the API: "POST /api/tasks"
	// GroupSession is what a command does to others, where the people of a group
	// share a session. Their own everybody may end.
	GroupSession Kind = "group_session"
)

// A Rule is the least role for one thing.
type Rule struct {
	Kind  Kind
	Name  string
	Needs string      // the capability of what it does; capabilities and agents need none
	Least errand.Role // empty in the table as it is written: that of Needs
	About string      // what it is, in half a sentence
}

// A Table answers who may do what. It does not change once it is in use.
type Table struct {
	rules []Rule
	index map[Kind]map[string]int
	given map[string]map[string]errand.Role // which roles were set for what needs a capability, by capability and name
	names map[errand.Role]string
}

// Default returns the table as it is shipped.
func Default() *Table {
	t := &Table{index: map[Kind]map[string]int{}, given: map[string]map[string]errand.Role{}, names: map[errand.Role]string{}}
	for _, r := range append(capabilities(), shipped()...) {
		t.setRule(r)
	}
	return t
}

func (t *Table) setRule(r Rule) {
	if t.index[r.Kind] == nil {
		t.index[r.Kind] = map[string]int{}
	}
	if i, ok := t.index[r.Kind][r.Name]; ok {
		t.rules[i].Least = r.Least
		return
	}
	t.index[r.Kind][r.Name] = len(t.rules)
	t.rules = append(t.rules, r)
}

// Set changes the least role for something that is in the table. That of a command
// or a route is the one of the capability that it needs, and so of all that need
// it: it fails where they are given different ones. Agents are not in the table
// until they are set: they are the installation's own. So are tools of MCP servers,
// and patterns of tools.
func (t *Table) Set(k Kind, name string, least errand.Role) error {
	if !least.Valid() {
		return fmt.Errorf("there is no role %q", least)
	}
	if !t.Has(k, name) && k != Agent && !(k == Tool && isOpen(name)) {
		return fmt.Errorf("there is no %s %q", k, name)
	}
	if needed := t.ruled(k, name); needed != "" {
		if err := t.give(needed, name, least); err != nil {
			return err
		}
		k, name = Capability, needed
	}
	t.setRule(Rule{Kind: k, Name: name, Least: least})
	return nil
}

// isOpen reports whether a tool of that name, or one that the pattern stands for, may
// come while errand runs: those of MCP servers have a dot in their names.
func isOpen(name string) bool { return strings.Contains(name, ".") || errand.IsPattern(name) }

// ruled is the capability whose role is the one of something; empty: it has its own.
func (t *Table) ruled(k Kind, name string) string {
	if k == Capability {
		return name
	}
	if i, ok := t.index[k][name]; ok && t.rules[i].Least == "" {
		return t.rules[i].Needs
	}
	return ""
}

// give notes that a role was set for what needs a capability.
func (t *Table) give(needed, name string, least errand.Role) error {
	for _, other := range slices.Sorted(maps.Keys(t.given[needed])) {
		if role := t.given[needed][other]; other != name && role != least {
			higher := role
			if least.Includes(role) {
				higher = least
			}
			return fmt.Errorf("%s is for %s and %s for %s, but both need the capability %s, which has one role: instead of both write rights.capabilities: {%s: %s}, or the role that you mean",
				other, t.Value(role), name, t.Value(least), needed, needed, t.Value(higher))
		}
	}
	if t.given[needed] == nil {
		t.given[needed] = map[string]errand.Role{}
	}
	t.given[needed][name] = least
	return nil
}

// Needs returns the capability that something needs; empty: none, or there is no
// such thing.
func (t *Table) Needs(k Kind, name string) string {
	if i, ok := t.index[k][name]; ok {
		return t.rules[i].Needs
	}
	return ""
}

// Least returns the least role for something. What is not in the table only a
// master_admin may do; an agent that is not, everybody may talk with. Where a tool is
// in the table by patterns only, the longest of them decides.
func (t *Table) Least(k Kind, name string) errand.Role {
	if needed := t.ruled(k, name); needed != "" {
		k, name = Capability, needed
	}
	if i, ok := t.index[k][name]; ok {
		return t.rules[i].Least
	}
	switch k {
	case Agent:
		return errand.Guest
	case Tool:
		if i := t.pattern(name); i >= 0 {
			return t.rules[i].Least
		}
	}
	return errand.MasterAdmin
}

// pattern is the rule of the longest pattern that stands for a tool, and of those as
// long the first by name; -1: none does.
func (t *Table) pattern(tool string) int {
	best := -1
	for name, i := range t.index[Tool] {
		if !errand.IsPattern(name) || !errand.Matches(name, tool) {
			continue
		}
		if best < 0 || len(name) > len(t.rules[best].Name) || len(name) == len(t.rules[best].Name) && name < t.rules[best].Name {
			best = i
		}
	}
	return best
}

// LeastTool returns the least role for a tool that asks for one itself: the higher of
// that and the one in the table. Where the table knows nothing of it, its own decides.
func (t *Table) LeastTool(name string, own errand.Role) errand.Role {
	if own == "" {
		return t.Least(Tool, name)
	}
	if !t.Has(Tool, name) && t.pattern(name) < 0 {
		return own
	}
	if least := t.Least(Tool, name); least.Includes(own) {
		return least
	}
	return own
}

// May reports whether whoever has role r may do something.
func (t *Table) May(r errand.Role, k Kind, name string) bool {
	return r.Includes(t.Least(k, name))
}

// Agents returns, by role, those of some agents that may be sent on a task for whoever
// has the role.
func (t *Table) Agents(names []errand.AgentName) map[errand.Role][]errand.AgentName {
	by := map[errand.Role][]errand.AgentName{}
	for _, role := range errand.Roles() {
		by[role] = slices.DeleteFunc(slices.Clone(names), func(n errand.AgentName) bool { return !t.May(role, Agent, string(n)) })
	}
	return by
}

// Rules returns the whole table, in its order, each rule with its least role.
func (t *Table) Rules() []Rule {
	rules := slices.Clone(t.rules)
	for i, r := range rules {
		rules[i].Least = t.Least(r.Kind, r.Name)
	}
	return rules
}

// Has reports whether something is in the table.
func (t *Table) Has(k Kind, name string) bool {
	_, ok := t.index[k][name]
	return ok
}

// Rename gives a role the name that people read and type.
func (t *Table) Rename(r errand.Role, name string) error {
	if !r.Valid() {
		return fmt.Errorf("there is no role %q", r)
	}
	for _, other := range errand.Roles() {
		if other != r && strings.EqualFold(t.Name(other), name) {
			return fmt.Errorf("role %q and role %q would both be called %q", r, other, name)
		}
	}
	t.names[r] = name
	return nil
}

// OwnName returns what the installation calls a role; empty: what everybody does.
func (t *Table) OwnName(r errand.Role) string {
	if n := t.names[r]; !strings.EqualFold(n, r.Display()) {
		return n
	}
	return ""
}

// Name returns what people call a role, in English where the installation says nothing.
func (t *Table) Name(r errand.Role) string { return cmp.Or(t.OwnName(r), r.Display()) }

// Value is a role as programs and errand.yaml write it.
func (t *Table) Value(r errand.Role) string {
	return cmp.Or(t.OwnName(r), strings.ToLower(r.Display()))
}

// Names returns the values of all roles, from the least to the most.
func (t *Table) Names() []string {
	var names []string
	for _, r := range errand.Roles() {
		names = append(names, t.Value(r))
	}
	return names
}

// Parse returns the role that people call name: by the installation's name for
// it, or by errand's.
func (t *Table) Parse(name string) (errand.Role, bool) {
	name = strings.TrimSpace(name)
	for _, r := range errand.Roles() {
		if strings.EqualFold(t.Name(r), name) {
			return r, true
		}
	}
	for _, r := range errand.Roles() {
		if strings.EqualFold(string(r), name) {
			return r, true
		}
	}
	return "", false
}
