package errand

import "fmt"

// A Policy says who of a delegation's agents must finish, and so when it is decided.
type Policy string

// AllEnd is the policy of a delegation that names none: it is decided when each agent
// has ended, and completes if one of them has completed.
const AllEnd Policy = ""

// An Outcome is how an agent's part of a delegation ended. The zero value is that of
// one at work.
type Outcome struct {
	State TaskState // not a terminal one: at work
	// Why is why there is no report, where that is known: of an agent whose workflow
	// broke, and not of one that says itself why it has failed.
	Why string
}

// A Decision is how a delegation ends.
type Decision struct {
	State TaskState // completed, failed, canceled or rejected
	Why   string    // of an end that no report explains
	// EndsRest says that agents which are at work are canceled.
	EndsRest bool
}

// Decide decides a delegation by the outcomes so far, one for each agent, in the order
// in which they were named; false: it is undecided. It depends on nothing else, not on
// the order in which they came, and further outcomes do not change what is decided. A
// policy that this version does not know is decided at once: the delegation fails.
func (p Policy) Decide(outcomes []Outcome) (Decision, bool) {
	if p != AllEnd {
		return Decision{State: Failed, Why: fmt.Sprintf("%s %q", ReasonUnknownPolicy.Text(), string(p)), EndsRest: true}, true
	}
	states := map[TaskState]int{}
	for _, o := range outcomes {
		if !o.State.Terminal() {
			return Decision{}, false
		}
		states[o.State]++
	}
	if states[Completed] > 0 {
		return Decision{State: Completed}, true
	}
	for _, o := range outcomes {
		if o.Why != "" {
			return Decision{State: o.State, Why: o.Why}, true
		}
	}
	switch {
	case states[Canceled] > 0:
		return Decision{State: Canceled, Why: ReasonCanceled.Text()}, true
	case states[Rejected] > 0 && states[Rejected] == len(outcomes):
		return Decision{State: Rejected}, true
	}
	return Decision{State: Failed}, true
}
