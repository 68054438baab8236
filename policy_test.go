package errand_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"errand"
)

// TestPolicy proves what a delegation is decided to be.
func TestPolicy(t *testing.T) {
	var (
		working    = errand.Outcome{}
		waiting    = errand.Outcome{State: errand.InputRequired}
		completed  = errand.Outcome{State: errand.Completed}
		failed     = errand.Outcome{State: errand.Failed}
		rejected   = errand.Outcome{State: errand.Rejected}
		canceled   = errand.Outcome{State: errand.Canceled}
		terminated = errand.Outcome{State: errand.Failed, Why: errand.ReasonTerminated.Text()}
		outside    = errand.Outcome{State: errand.Canceled, Why: errand.ReasonCanceledInTemporal.Text()}
	)
	for _, test := range []struct {
		name     string
		outcomes []errand.Outcome
		want     errand.TaskState // empty: undecided
		why      string
	}{
		{"one at work", []errand.Outcome{working}, "", ""},
		{"one completed, one at work", []errand.Outcome{completed, working}, "", ""},
		{"one waits for a person", []errand.Outcome{completed, waiting}, "", ""},
		{"one completed", []errand.Outcome{completed}, errand.Completed, ""},
		{"one of several completed", []errand.Outcome{failed, terminated, completed}, errand.Completed, ""},
		{"all failed", []errand.Outcome{failed, failed}, errand.Failed, ""},
		{"all rejected", []errand.Outcome{rejected, rejected}, errand.Rejected, ""},
		{"one of them rejected", []errand.Outcome{rejected, failed}, errand.Failed, ""},
		{"canceled", []errand.Outcome{failed, canceled}, errand.Canceled, "canceled"},
		{"terminated", []errand.Outcome{canceled, terminated}, errand.Failed, terminated.Why},
		{"the first reason counts", []errand.Outcome{outside, terminated}, errand.Canceled, outside.Why},
		{"nobody", nil, errand.Failed, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, decided := errand.AllEnd.Decide(nil, test.outcomes)
			if decided != (test.want != "") || got != (errand.Decision{State: test.want, Why: test.why}) {
				t.Errorf("decided %v: %+v, want %q for %q", decided, got, test.want, test.why)
			}
		})
	}
	got, decided := errand.Policy("unanimous").Decide([]errand.AgentName{"sasha", "finn"}, []errand.Outcome{working, completed})
	if !decided || got.State != errand.Failed || !got.EndsRest || !strings.Contains(got.Why, `"unanimous"`) || errand.ReasonOf(got.Why) != errand.ReasonUnknownPolicy {
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
		policy := errand.Policy(text)
		if parsed, err := errand.ParsePolicy(text); err == nil {
			if again, err := errand.ParsePolicy(string(parsed)); err != nil || again != parsed {
				t.Fatalf("%q is %q, and that is %q, %v", text, parsed, again, err)
			}
			policy = parsed
		}
		agents, all := make([]errand.AgentName, len(ends)), make([]errand.Outcome, len(ends))
		yes := 0
		for i, b := range ends {
			terminal := []errand.TaskState{errand.Completed, errand.Failed, errand.Canceled, errand.Rejected}
			verdicts := []errand.Verdict{"", errand.Yes, errand.No, errand.Abstain, errand.Invalid}
			agents[i] = errand.AgentName(rune('a' + i))
			all[i] = errand.Outcome{State: terminal[int(b)%len(terminal)], Verdict: verdicts[int(b>>4)%len(verdicts)]}
			if all[i].Verdict == errand.Yes {
				yes++
			}
			if reasons := errand.Reasons(); b&8 > 0 && all[i].State != errand.Completed {
				all[i].Why = reasons[int(b)%len(reasons)].Text()
			}
		}
		decide := func(so []errand.Outcome) (errand.Decision, bool) {
			d, decided := policy.Decide(agents, so)
			d.EndsRest = false // whether there is a rest changes
			return d, decided
		}
		last, decided := decide(all)
		if !decided {
			t.Fatalf("%q is undecided with all outcomes there: %+v", policy, all)
		}
		if last.Answer == errand.AnswerYes && yes == 0 {
			t.Fatalf("%q is a yes without any: %+v", policy, all)
		}
		so := make([]errand.Outcome, len(all))
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
