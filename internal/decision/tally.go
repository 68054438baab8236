package decision

import (
	"cmp"
	"slices"

	"errand/internal/core"
)

type tally struct {
	yes, no         int // sums of weights
	needYes, needNo int
	counted         int   // number of verdicts
	missing         int   // agents that have ended without a verdict
	pending         []int // weights of the verdicts that may still come
	mayCome         int
	vetoed          bool
	vetoesMissing   bool // an agent with a veto has ended without a verdict
	vetoesPending   bool
}

func (r rule) tally(agents []core.AgentName, outcomes []core.Outcome) tally {
	var t tally
	t.needYes, t.needNo = r.needs(r.whole(agents))
	for i, o := range outcomes {
		weight, veto := r.weight(agents[i]), slices.Contains(r.veto, agents[i])
		switch {
		case o.Verdict.Counts():
			t.counted++
			if o.Verdict == core.Yes {
				t.yes += weight
			}
			if o.Verdict == core.No {
				t.no += weight
				t.vetoed = t.vetoed || veto
			}
		case pending(o):
			t.pending = append(t.pending, weight)
			t.mayCome += weight
			t.vetoesPending = t.vetoesPending || veto
		default:
			t.missing++
			t.vetoesMissing = t.vetoesMissing || veto
		}
	}
	return t
}

func (r rule) decide(agents []core.AgentName, outcomes []core.Outcome) (core.Decision, bool) {
	t := r.tally(agents, outcomes)
	answer, decided := t.answer()
	if !decided {
		return core.Decision{}, false
	}
	if t.counted > 0 {
		return core.Decision{State: core.Completed, Answer: answer, EndsRest: !r.finish && slices.ContainsFunc(outcomes, atWork)}, true
	}
	// All agents have ended without a verdict. That is no success even if none has failed.
	d, _ := decideAllEnd(outcomes)
	if d.State == core.Completed {
		d.State = core.Failed
	}
	d.Answer = answer
	return d, true
}

func atWork(o core.Outcome) bool { return !o.State.Terminal() }

func pending(o core.Outcome) bool { return !o.Verdict.Counts() && !o.State.Terminal() }

func (t *tally) answer() (core.Answer, bool) {
	switch {
	case t.vetoed || t.no >= t.needNo:
		return core.AnswerNo, true
	case t.yes >= t.needYes && !t.vetoesMissing && !t.vetoesPending:
		return core.AnswerYes, true
	case len(t.pending) == 0 && t.missing == 0 && t.yes == t.no && t.yes > 0:
		return core.AnswerTie, true
	case len(t.pending) == 0:
		return core.AnswerNoQuorum, true
	}
	// Working agents may end without a verdict, which means no quorum. No quorum is decided if no
	// other answer is possible and at least one agent has given a verdict: without any, all may
	// have failed.
	mayBeYes := !t.vetoesMissing && t.yes+t.mayCome >= t.needYes
	mayBeNo := t.vetoesPending || t.no+t.mayCome >= t.needNo
	if mayBeYes || mayBeNo || t.mayTie() || t.counted == 0 {
		return "", false
	}
	return core.AnswerNoQuorum, true
}

// mayTie is called only if neither yes nor no can be reached.
func (t *tally) mayTie() bool {
	if t.missing > 0 {
		return false
	}
	type standing struct {
		ahead int // yes minus no
		some  int // 1: an agent has said yes
	}
	inOrder := func(a, b standing) int { return cmp.Or(cmp.Compare(a.ahead, b.ahead), cmp.Compare(a.some, b.some)) }
	reached := []standing{{t.yes - t.no, min(t.yes, 1)}}
	for _, weight := range t.pending {
		var next []standing
		for _, s := range reached {
			next = append(next, s, standing{s.ahead + weight, 1}, standing{s.ahead - weight, s.some})
		}
		slices.SortFunc(next, inOrder)
		reached = slices.Compact(next)
	}
	return slices.Contains(reached, standing{0, 1})
}
