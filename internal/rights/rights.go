// Package rights says who may do what: the least role for every tool, command,
// route of the API and agent. There is one table; docs/rights.md shows it.
package rights

import (
	"fmt"
	"strings"

	"errand"
)

// A Kind is a kind of thing that can be done.
type Kind string

// The kinds.
const (
	Tool    Kind = "tool"    // by an agent, for the person it talks with
	Agent   Kind = "agent"   // to talk with it, or to have it sent on an errand
	Command Kind = "command" // typed in a chat: "/cancel"
	Route   Kind = "route"   // of the API: "POST /api/tasks"
	// GroupSession is what a command does to others, where the people of a group
	// share a session. Their own everybody may end.
	GroupSession Kind = "group_session"
)

// A Rule is the least role for one thing.
type Rule struct {
	Kind  Kind
	Name  string
	Least errand.Role
	About string // what it is, in half a sentence
}

// A Table answers who may do what. It does not change once it is in use.
type Table struct {
	rules []Rule
	index map[Kind]map[string]int
	names map[errand.Role]string
}

// Default returns the table as it is shipped.
func Default() *Table {
	t := &Table{index: map[Kind]map[string]int{}, names: map[errand.Role]string{}}
	for _, r := range shipped() {
		t.set(r)
	}
	return t
}

func (t *Table) set(r Rule) {
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

// Set changes the least role for something that is in the table. Agents are not
// in it until they are set: they are the installation's own.
func (t *Table) Set(k Kind, name string, least errand.Role) error {
	if !least.Valid() {
		return fmt.Errorf("there is no role %q", least)
	}
	if _, known := t.index[k][name]; !known && k != Agent {
		return fmt.Errorf("there is no %s %q", k, name)
	}
	t.set(Rule{Kind: k, Name: name, Least: least})
	return nil
}

// Least returns the least role for something. What is not in the table only a
// master_admin may do; an agent that is not, everybody may talk with.
func (t *Table) Least(k Kind, name string) errand.Role {
	if i, ok := t.index[k][name]; ok {
		return t.rules[i].Least
	}
	if k == Agent {
		return errand.Guest
	}
	return errand.MasterAdmin
}

// May reports whether whoever has role r may do something.
func (t *Table) May(r errand.Role, k Kind, name string) bool {
	return r.Includes(t.Least(k, name))
}

// Rules returns the whole table, in its order.
func (t *Table) Rules() []Rule { return append([]Rule(nil), t.rules...) }

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

// Name returns what people call a role.
func (t *Table) Name(r errand.Role) string {
	if n := t.names[r]; n != "" {
		return n
	}
	return string(r)
}

// Names returns what people call the roles, from the least to the most.
func (t *Table) Names() []string {
	var names []string
	for _, r := range errand.Roles() {
		names = append(names, t.Name(r))
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
