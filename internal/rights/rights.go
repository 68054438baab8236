// Package rights has the table of rights: the least role for every capability, tool and agent, and
// the capability that every tool, command and route of the API needs. docs/rights.md shows the
// table.
package rights

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/internal/core"
)

// A Kind is a kind of thing in the table.
type Kind string

const (
	// Capability is something that the service does for a person, through any door.
	Capability Kind = "capability"
	Tool       Kind = "tool"    // called by an agent for the person it talks with
	Agent      Kind = "agent"   // to talk with it or to delegate to it
	Command    Kind = "command" // typed in a chat: "/cancel"
	Route      Kind = "route"   // of the API: "POST /api/tasks"
	// GroupSession is the effect of a command on others in a session that a group shares. People
	// may always end their own work.
	GroupSession Kind = "group_session"
)

// A Rule is the least role for one thing in the table.
type Rule struct {
	Kind  Kind
	Name  string
	Needs string    // the capability that it needs; capabilities and agents need none
	Least core.Role // empty in the source: the role of Needs
	About string    // a short description
}

// A Table has the least role for each thing. It must not change while it is in use.
type Table struct {
	rules []Rule
	index map[Kind]map[string]int
	given map[string]map[string]core.Role // roles set for things that need a capability, by capability and name
	names map[core.Role]string
}

// New returns the default table with additional rules for the routes of operations, see api.Rights.
func New(routes ...Rule) *Table {
	t := &Table{index: map[Kind]map[string]int{}, given: map[string]map[string]core.Role{}, names: map[core.Role]string{}}
	for _, r := range slices.Concat(capabilities(), shipped(), routes) {
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

// Set changes the least role of a thing. A command or a route has the role of the capability that
// it needs, so all things with the same capability must be set to the same role; otherwise Set
// returns an error. Agents, tools of MCP servers and patterns of tools may be set although the
// table does not have them yet.
func (t *Table) Set(k Kind, name string, least core.Role) error {
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

// isOpen reports whether the table need not know a tool: tools of MCP servers, which have a dot in
// their names, and patterns may appear while errand runs.
func isOpen(name string) bool { return strings.Contains(name, ".") || core.IsPattern(name) }

func (t *Table) ruled(k Kind, name string) string {
	if k == Capability {
		return name
	}
	if i, ok := t.index[k][name]; ok && t.rules[i].Least == "" {
		return t.rules[i].Needs
	}
	return ""
}

func (t *Table) give(needed, name string, least core.Role) error {
	for _, other := range slices.Sorted(maps.Keys(t.given[needed])) {
		if role := t.given[needed][other]; other != name && role != least {
			higher := role
			if least.Includes(role) {
				higher = least
			}
			return fmt.Errorf("%s is for %s and %s for %s, but both need the capability %s, which can have only one role: replace both with rights.capabilities: {%s: %s}, or with another role",
				other, t.Value(role), name, t.Value(least), needed, needed, t.Value(higher))
		}
	}
	if t.given[needed] == nil {
		t.given[needed] = map[string]core.Role{}
	}
	t.given[needed][name] = least
	return nil
}

// Needs returns the capability that a thing needs; empty: none.
func (t *Table) Needs(k Kind, name string) string {
	if i, ok := t.index[k][name]; ok {
		return t.rules[i].Needs
	}
	return ""
}

// Least returns the least role for a thing. For unknown things it is master_admin, and for unknown
// agents guest. For a tool the longest matching pattern counts.
func (t *Table) Least(k Kind, name string) core.Role {
	if needed := t.ruled(k, name); needed != "" {
		k, name = Capability, needed
	}
	if i, ok := t.index[k][name]; ok {
		return t.rules[i].Least
	}
	switch k {
	case Agent:
		return core.Guest
	case Tool:
		if i := t.pattern(name); i >= 0 {
			return t.rules[i].Least
		}
	}
	return core.MasterAdmin
}

func (t *Table) pattern(tool string) int {
	best := -1
	for name, i := range t.index[Tool] {
		if !core.IsPattern(name) || !core.Matches(name, tool) {
			continue
		}
		if best < 0 || len(name) > len(t.rules[best].Name) || len(name) == len(t.rules[best].Name) && name < t.rules[best].Name {
			best = i
		}
	}
	return best
}

// LeastTool returns the higher of a tool's own role and the role in the table, or the tool's own if
// the table has no rule for it.
func (t *Table) LeastTool(name string, own core.Role) core.Role {
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

// May reports whether a role is sufficient for a thing.
func (t *Table) May(r core.Role, k Kind, name string) bool {
	return r.Includes(t.Least(k, name))
}

// Agents returns, for each role, the agents among names that it may delegate to.
func (t *Table) Agents(names []core.AgentName) map[core.Role][]core.AgentName {
	by := map[core.Role][]core.AgentName{}
	for _, role := range core.Roles() {
		by[role] = slices.DeleteFunc(slices.Clone(names), func(n core.AgentName) bool { return !t.May(role, Agent, string(n)) })
	}
	return by
}

// Rules returns the whole table in order, with the least role of each rule.
func (t *Table) Rules() []Rule {
	rules := slices.Clone(t.rules)
	for i, r := range rules {
		rules[i].Least = t.Least(r.Kind, r.Name)
	}
	return rules
}

// Has reports whether the table has a rule for a thing.
func (t *Table) Has(k Kind, name string) bool {
	_, ok := t.index[k][name]
	return ok
}

// Rename sets the name of a role that people read and type.
func (t *Table) Rename(r core.Role, name string) error {
	if !r.Valid() {
		return fmt.Errorf("there is no role %q", r)
	}
	for _, other := range core.Roles() {
		if other != r && strings.EqualFold(t.Name(other), name) {
			return fmt.Errorf("role %q and role %q would both be called %q", r, other, name)
		}
	}
	t.names[r] = name
	return nil
}

// OwnName returns the installation's name of a role; empty: it has none.
func (t *Table) OwnName(r core.Role) string {
	if n := t.names[r]; !strings.EqualFold(n, r.Display()) {
		return n
	}
	return ""
}

// Name returns the installation's name of a role, or the English default.
func (t *Table) Name(r core.Role) string { return cmp.Or(t.OwnName(r), r.Display()) }

// Value returns the name of a role in programs and in errand.yaml.
func (t *Table) Value(r core.Role) string {
	return cmp.Or(t.OwnName(r), strings.ToLower(r.Display()))
}

// Names returns the values of all roles, from the lowest to the highest.
func (t *Table) Names() []string {
	var names []string
	for _, r := range core.Roles() {
		names = append(names, t.Value(r))
	}
	return names
}

// Parse returns the role with a name, which may be the installation's or errand's.
func (t *Table) Parse(name string) (core.Role, bool) {
	name = strings.TrimSpace(name)
	for _, r := range core.Roles() {
		if strings.EqualFold(t.Name(r), name) {
			return r, true
		}
	}
	for _, r := range core.Roles() {
		if strings.EqualFold(string(r), name) {
			return r, true
		}
	}
	return "", false
}
