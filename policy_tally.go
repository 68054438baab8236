package errand

import (
	"cmp"
	"slices"
)

// A tally is how the verdicts of a delegation stand.
type tally struct {
	yes, no         int // what the verdicts count
	needYes, needNo int
	counted         int   // verdicts
	missing         int   // agents that have ended without one
	pending         []int // what each verdict counts that may still come
	mayCome         int   // what they count together
	vetoed          bool
	vetoesMissing   bool // somebody who has a veto has ended without a verdict
	vetoesPending   bool
}

func (r rule) tally(agents []AgentName, outcomes []Outcome) tally {
	var t tally
	t.needYes, t.needNo = r.needs(r.whole(agents))
	for i, o := range outcomes {
		weight, veto := r.weight(agents[i]), slices.Contains(r.veto, agents[i])
		switch {
		case o.Verdict.Counts():
			t.counted++
			if o.Verdict == Yes {
				t.yes += weight
			}
			if o.Verdict == No {
				t.no += weight
				t.vetoed = t.vetoed || veto
			}
		case o.pending():
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

// decide decides by what is there and what may still come.
func (r rule) decide(agents []AgentName, outcomes []Outcome) (Decision, bool) {
	t := r.tally(agents, outcomes)
	answer, decided := t.answer()
	if !decided {
		return Decision{}, false
	}
	if t.counted > 0 {
		return Decision{State: Completed, Answer: answer, EndsRest: !r.finish && slices.ContainsFunc(outcomes, atWork)}, true
	}
	// Nobody has given a verdict, and each has ended. That none has failed does not make
	// it a success.
	d, _ := decideAllEnd(outcomes)
	if d.State == Completed {
		d.State = Failed
	}
	d.Answer = answer
	return d, true
}

func atWork(o Outcome) bool { return !o.State.Terminal() }

// answer is what the verdicts come to; false: that may still change.
func (t *tally) answer() (Answer, bool) {
	switch {
	case t.vetoed || t.no >= t.needNo:
		return AnswerNo, true
	case t.yes >= t.needYes && !t.vetoesMissing && !t.vetoesPending:
		return AnswerYes, true
	case len(t.pending) == 0 && t.missing == 0 && t.yes == t.no && t.yes > 0:
		return AnswerTie, true
	case len(t.pending) == 0:
		return AnswerNoQuorum, true
	}
	// What is still at work may end without a verdict: then there is no quorum. It is
	// decided if nothing else can come of it either, which an agent without a verdict
	// beside it has to show: until then, everybody may have failed.
	mayBeYes := !t.vetoesMissing && t.yes+t.mayCome >= t.needYes
	mayBeNo := t.vetoesPending || t.no+t.mayCome >= t.needNo
	if mayBeYes || mayBeNo || t.mayTie() || t.counted == 0 {
		return "", false
	}
	return AnswerNoQuorum, true
}

// mayTie reports whether what is pending can make as many for it as against it. Neither
// yes nor no can be reached any more.
func (t *tally) mayTie() bool {
	if t.missing > 0 {
		return false
	}
	type standing struct {
		ahead int // yes before no
		some  int // 1: somebody says yes
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
