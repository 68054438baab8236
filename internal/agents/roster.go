package agents

import (
	"maps"
	"slices"
	"time"

	"errand/internal/core"
)

// A Roster is all agents of an installation. Callers must not change it or its agents.
type Roster struct {
	primary *Agent
	byName  map[core.AgentName]*Agent
	skills  []Skill
}

// New returns a roster of list. primary is the name of the primary agent. The error is
// [Problems], with all problems.
func New(primary core.AgentName, list []Agent, rules Rules) (*Roster, error) {
	r := &Roster{byName: make(map[core.AgentName]*Agent, len(list)), skills: rules.Skills}
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
func (r *Roster) Agent(name core.AgentName) (*Agent, bool) {
	a, ok := r.byName[name]
	return a, ok
}

// Kind returns the kind of the agent called name; empty for an unknown name.
func (r *Roster) Kind(name core.AgentName) core.AgentKind {
	if a, ok := r.byName[name]; ok {
		return a.Kind
	}
	return ""
}

// Names returns the names of all agents, sorted.
func (r *Roster) Names() []core.AgentName { return slices.Sorted(maps.Keys(r.byName)) }

// HandoffTo returns the agents that the agent called name may hand a conversation over to:
// those that it names and that accept conversations, and the primary agent.
func (r *Roster) HandoffTo(name core.AgentName) []*Agent {
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

// StickFor returns how long a conversation stays with an agent after its reply.
// installation is the default. It returns 0 for the primary agent, which keeps it, and for
// an unknown name.
func (r *Roster) StickFor(name core.AgentName, installation time.Duration) time.Duration {
	a, ok := r.byName[name]
	switch {
	case !ok || a == r.primary:
		return 0
	case a.StickyFor > 0:
		return a.StickyFor
	}
	return installation
}

// Delegates returns the agents that the agent called name may delegate to, in the order in
// which they are offered; none for an unknown name.
func (r *Roster) Delegates(name core.AgentName) []*Agent {
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
