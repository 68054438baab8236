package errand

import "fmt"

// A Policy says who of a delegation's agents must finish, and so when it is decided. It
// is a line of words in one form only, see [ParsePolicy]: it is in histories for ever.
type Policy string

// AllEnd is the policy of a delegation that names none: it is decided when each agent
// has ended, and completes if one of them has completed. It counts no verdicts.
const AllEnd Policy = ""

// Policies that count verdicts, without weights and vetoes. [ParsePolicy] knows more.
const (
	All      Policy = "all"      // yes, if each agent says so; no, if one does
	Any      Policy = "any"      // yes, if one agent says so; no, if each does
	Majority Policy = "majority" // yes or no, if more than half of all agents say so
)

// CountsVerdicts reports whether a delegation with policy p is to decide something: each
// agent answers with a verdict.
func (p Policy) CountsVerdicts() bool { return p != AllEnd }

// An Outcome is how an agent's part of a delegation ended. The zero value is that of
// one at work.
type Outcome struct {
	State TaskState // not a terminal one: at work
	// Why is why there is no report, where that is known: of an agent whose workflow
	// broke, and not of one that says itself why it has failed.
	Why string
	// Verdict is what it has answered, where that is asked. It counts from when it is
	// there, however the agent's work ends then.
	Verdict Verdict
}

// pending reports whether there may still be a verdict.
func (o Outcome) pending() bool { return !o.Verdict.Counts() && !o.State.Terminal() }

// A Decision is how a delegation ends.
type Decision struct {
	State  TaskState // completed, failed, canceled or rejected
	Why    string    // of an end that no report explains
	Answer Answer    // what the verdicts come to; empty: none are counted
	// EndsRest says that agents which are at work are canceled. Without it, their work is
	// waited for.
	EndsRest bool
}

// Decide decides a delegation to agents by their outcomes so far, one for each agent, in
// the order in which they were named; false: it is undecided. It depends on nothing else,
// not on the order in which they came, and further outcomes do not change what is
// decided. It is decided as soon as they cannot. A policy that this version does not
// know, or that does not fit these agents, is decided at once: the delegation fails.
func (p Policy) Decide(agents []AgentName, outcomes []Outcome) (Decision, bool) {
	if !p.CountsVerdicts() {
		return decideAllEnd(outcomes)
	}
	r, err := parseRule(string(p))
	if err == nil {
		err = r.check(agents)
	}
	if err != nil || len(agents) != len(outcomes) {
		return Decision{State: Failed, Why: fmt.Sprintf("%s %q", ReasonUnknownPolicy.Text(), string(p)), EndsRest: true}, true
	}
	return r.decide(agents, outcomes)
}

func decideAllEnd(outcomes []Outcome) (Decision, bool) {
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
