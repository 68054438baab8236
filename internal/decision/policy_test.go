package decision_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/decision"
)

// TestPolicy proves what a delegation is decided to be.
func TestPolicy(t *testing.T) {
	var (
		working    = core.Outcome{}
		waiting    = core.Outcome{State: core.InputRequired}
		completed  = core.Outcome{State: core.Completed}
		failed     = core.Outcome{State: core.Failed}
		rejected   = core.Outcome{State: core.Rejected}
		canceled   = core.Outcome{State: core.Canceled}
		terminated = core.Outcome{State: core.Failed, Why: core.ReasonTerminated.Text()}
		outside    = core.Outcome{State: core.Canceled, Why: core.ReasonCanceledInTemporal.Text()}
	)
	for _, test := range []struct {
		name     string
		outcomes []core.Outcome
		want     core.TaskState // empty: undecided
		why      string
	}{
		{"one at work", []core.Outcome{working}, "", ""},
		{"one completed, one at work", []core.Outcome{completed, working}, "", ""},
		{"one waits for a person", []core.Outcome{completed, waiting}, "", ""},
		{"one completed", []core.Outcome{completed}, core.Completed, ""},
		{"one of several completed", []core.Outcome{failed, terminated, completed}, core.Completed, ""},
		{"all failed", []core.Outcome{failed, failed}, core.Failed, ""},
		{"all rejected", []core.Outcome{rejected, rejected}, core.Rejected, ""},
		{"one of them rejected", []core.Outcome{rejected, failed}, core.Failed, ""},
		{"canceled", []core.Outcome{failed, canceled}, core.Canceled, "canceled"},
		{"terminated", []core.Outcome{canceled, terminated}, core.Failed, terminated.Why},
		{"the first reason counts", []core.Outcome{outside, terminated}, core.Canceled, outside.Why},
		{"nobody", nil, core.Failed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, decided := decision.Decide(core.AllEnd, nil, test.outcomes)
			if decided != (test.want != "") || got != (core.Decision{State: test.want, Why: test.why}) {
				t.Errorf("decided %v: %+v, want %q for %q", decided, got, test.want, test.why)
			}
		})
	}
	got, decided := decision.Decide(core.Policy("unanimous"), []core.AgentName{"sasha", "finn"}, []core.Outcome{working, completed})
	if !decided || got.State != core.Failed || !got.EndsRest || !strings.Contains(got.Why, `"unanimous"`) || core.ReasonOf(got.Why) != core.ReasonUnknownPolicy {
		t.Errorf("an unknown policy: decided %v, %+v", decided, got)
	}
}

// FuzzPolicy proves that what is decided stays decided, whatever outcomes come after
// it, and does not depend on the order in which they come; that a policy is read once
// and prints as what it was read from; and that none says yes without a verdict for it.
func FuzzPolicy(f *testing.F) {
	f.Add("", []byte{3, 4}, uint64(1))
	f.Add("", []byte{3, 4, 5, 6, 12, 13}, uint64(7))
	f.Add("unanimous", []byte{3}, uint64(2))
	f.Add("majority", []byte{0x10, 0x20, 0x10}, uint64(3))
	f.Add("quorum:2 weights:a=3,c=2 veto:b rest:finish", []byte{0x10, 0x30, 0x22, 0x40}, uint64(4))
	f.Add("any\tWEIGHTS:a=1", []byte{0x21, 0x11}, uint64(5))
	f.Fuzz(func(t *testing.T, text string, ends []byte, seed uint64) {
		if len(ends) > 26 {
			return
		}
		policy := core.Policy(text)
		if parsed, err := decision.ParsePolicy(text); err == nil {
			if again, err := decision.ParsePolicy(string(parsed)); err != nil || again != parsed {
				t.Fatalf("%q is %q, and that is %q, %v", text, parsed, again, err)
			}
			policy = parsed
		}
		agents, all := make([]core.AgentName, len(ends)), make([]core.Outcome, len(ends))
		yes := 0
		for i, b := range ends {
			terminal := []core.TaskState{core.Completed, core.Failed, core.Canceled, core.Rejected}
			verdicts := []core.Verdict{"", core.Yes, core.No, core.Abstain, core.Invalid}
			agents[i] = core.AgentName(rune('a' + i))
			all[i] = core.Outcome{State: terminal[int(b)%len(terminal)], Verdict: verdicts[int(b>>4)%len(verdicts)]}
			if all[i].Verdict == core.Yes {
				yes++
			}
			if reasons := core.Reasons(); b&8 > 0 && all[i].State != core.Completed {
				all[i].Why = reasons[int(b)%len(reasons)].Text()
			}
		}
		decide := func(so []core.Outcome) (core.Decision, bool) {
			d, decided := decision.Decide(policy, agents, so)
			d.EndsRest = false // whether there is a rest changes
			return d, decided
		}
		last, decided := decide(all)
		if !decided {
			t.Fatalf("%q is undecided with all outcomes there: %+v", policy, all)
		}
		if last.Answer == core.AnswerYes && yes == 0 {
			t.Fatalf("%q is a yes without any: %+v", policy, all)
		}
		so := make([]core.Outcome, len(all))
		first, decided := decide(so)
		for _, i := range rand.New(rand.NewPCG(seed, seed)).Perm(len(all)) {
			so[i] = all[i]
			next, still := decide(so)
			if decided && (!still || next != first) {
				t.Fatalf("%q was decided %+v, and is %v %+v with %+v", policy, first, still, next, so)
			}
			first, decided = next, still
		}
		if first != last {
			t.Errorf("%q ends as %+v in one order and %+v in another", policy, first, last)
		}
	})
}
