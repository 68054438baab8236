package agents

import (
	"maps"
	"slices"
	"time"

	"errand"
)

// A Roster is all the agents of an installation. It does not change; nor may
// the agents it hands out be changed.
type Roster struct {
	primary *Agent
	byName  map[errand.AgentName]*Agent
	skills  []Skill
}

// New makes a roster of list, whose primary agent is the one called primary.
// What it refuses is told as [Problems], all of them at once.
func New(primary errand.AgentName, list []Agent, rules Rules) (*Roster, error) {
	r := &Roster{byName: make(map[errand.AgentName]*Agent, len(list)), skills: rules.Skills}
	var twice Problems
	for _, a := range list {
		if _, dup := r.byName[a.Name]; dup {
			twice = append(twice, &Problem{Agent: a.Name, Text: "is defined twice"})
			continue
		}
		r.byName[a.Name] = a.withDefaults()
	}
	r.primary = r.byName[primary]
	if problems := append(twice, r.check(primary, rules)...); len(problems) > 0 {
		return nil, problems
	}
	return r, nil
}

// Primary returns the agent that a new session starts with.
func (r *Roster) Primary() *Agent { return r.primary }

// Agent returns the agent called name.
func (r *Roster) Agent(name errand.AgentName) (*Agent, bool) {
	a, ok := r.byName[name]
	return a, ok
}

// Kind is that of the agent called name; empty for an unknown name.
func (r *Roster) Kind(name errand.AgentName) errand.AgentKind {
	if a, ok := r.byName[name]; ok {
		return a.Kind
	}
	return ""
}

// Names returns the names of all agents, sorted.
func (r *Roster) Names() []errand.AgentName { return slices.Sorted(maps.Keys(r.byName)) }

// HandoffTo returns the agents to which the one called name may hand a
// conversation over: those that it names and that take one, and the primary
// agent.
func (r *Roster) HandoffTo(name errand.AgentName) []*Agent {
	a, ok := r.byName[name]
	if !ok {
		return nil
	}
	names := a.HandoffTo
	if names == nil {
		if names = r.primary.HandoffTo; names == nil {
			names = r.primary.Delegates
		}
	}
	var list []*Agent
	for _, h := range names {
		if b := r.byName[h]; b != r.primary && b != a && !b.NotSticky {
			list = append(list, b)
		}
	}
	if a != r.primary {
		list = append(list, r.primary)
	}
	return list
}

// StickFor is how long a conversation stays with the agent called name after a
// reply of its; installation is for those that do not say. 0 for the primary
// agent, who keeps it, and for an unknown name.
func (r *Roster) StickFor(name errand.AgentName, installation time.Duration) time.Duration {
	a, ok := r.byName[name]
	switch {
	case !ok || a == r.primary:
		return 0
	case a.StickyFor > 0:
		return a.StickyFor
	}
	return installation
}

// Delegates returns the agents that the one called name may send on errands,
// in the order in which they are offered to it; none for an unknown name.
func (r *Roster) Delegates(name errand.AgentName) []*Agent {
	a, ok := r.byName[name]
	if !ok {
		return nil
	}
	list := make([]*Agent, len(a.Delegates))
	for i, d := range a.Delegates {
		list[i] = r.byName[d]
	}
	return list
}
