// Package decision parses policies, and decides how a delegation ends by the outcomes of its
// agents.
package decision

import (
	"fmt"

	"errand/internal/core"
)

// Decide decides a delegation by the outcomes of its agents so far, one for each agent, in the
// order in which the agents were named. It returns false while it is undecided. The result depends
// only on the arguments, not on the order of arrival. It decides as soon as further outcomes cannot
// change the result. If this version does not know the policy, or it does not fit the agents, the
// delegation fails at once.
func Decide(p core.Policy, agents []core.AgentName, outcomes []core.Outcome) (core.Decision, bool) {
	if !p.CountsVerdicts() {
		return decideAllEnd(outcomes)
	}
	r, err := parseRule(string(p))
	if err == nil {
		err = r.check(agents)
	}
	if err != nil || len(agents) != len(outcomes) {
		return core.Decision{State: core.Failed, Why: fmt.Sprintf("%s %q", core.ReasonUnknownPolicy.Text(), string(p)), EndsRest: true}, true
	}
	return r.decide(agents, outcomes)
}

func decideAllEnd(outcomes []core.Outcome) (core.Decision, bool) {
	states := map[core.TaskState]int{}
	for _, o := range outcomes {
		if !o.State.Terminal() {
			return core.Decision{}, false
		}
		states[o.State]++
	}
	if states[core.Completed] > 0 {
		return core.Decision{State: core.Completed}, true
	}
	for _, o := range outcomes {
		if o.Why != "" {
			return core.Decision{State: o.State, Why: o.Why}, true
		}
	}
	switch {
	case states[core.Canceled] > 0:
		return core.Decision{State: core.Canceled, Why: core.ReasonCanceled.Text()}, true
	case states[core.Rejected] > 0 && states[core.Rejected] == len(outcomes):
		return core.Decision{State: core.Rejected}, true
	}
	return core.Decision{State: core.Failed}, true
}
