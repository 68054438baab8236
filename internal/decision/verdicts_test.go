package decision_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/decision"
)

// outcomesOf are outcomes by letters: y, n and a are verdicts, i is an answer that is
// none, f an agent that has failed, c one that was canceled, - one at work.
func outcomesOf(letters string) []core.Outcome {
	list := make([]core.Outcome, len(letters))
	for i, l := range letters {
		list[i] = map[rune]core.Outcome{
			'y': {State: core.Completed, Verdict: core.Yes}, 'n': {State: core.Completed, Verdict: core.No},
			'a': {State: core.Completed, Verdict: core.Abstain}, 'i': {State: core.Completed, Verdict: core.Invalid},
			'f': {State: core.Failed}, 'c': {State: core.Canceled, Why: core.ReasonCanceledInTemporal.Text()}, '-': {},
		}[l]
	}
	return list
}

func agentsFor(n int) []core.AgentName {
	list := make([]core.AgentName, n)
	for i := range list {
		list[i] = core.AgentName(rune('a' + i))
	}
	return list
}

// TestVerdicts proves what policies make of verdicts, and when.
func TestVerdicts(t *testing.T) {
	const undecided = ""
	for _, test := range []struct {
		policy, outcomes string
		want             core.Answer
	}{
		{"all", "yy", core.AnswerYes},
		{"all", "y-", undecided},
		{"all", "-n", core.AnswerNo},
		{"all", "ya", core.AnswerNoQuorum}, // an abstention is no yes, and no no
		{"all", "yf", core.AnswerNoQuorum}, // nor is a failure
		{"all", "nf", core.AnswerNo},
		{"any", "y--", core.AnswerYes},
		{"any", "nn-", undecided},
		{"any", "nnn", core.AnswerNo},
		{"any", "nnf", core.AnswerNoQuorum},
		{"majority", "yy-", core.AnswerYes},
		{"majority", "yyy--", core.AnswerYes}, // by the third of five
		{"majority", "yny--", undecided},
		{"majority", "nn-", core.AnswerNo},
		{"majority", "ynny", core.AnswerTie},
		{"majority", "yynf", core.AnswerNoQuorum}, // of four that were asked, not of three that answered
		{"majority", "yff", core.AnswerNoQuorum},
		{"majority", "y-ff", core.AnswerNoQuorum}, // two of four can be for it at most
		{"majority", "yn-f", core.AnswerNoQuorum},
		{"majority", "-fff", undecided}, // nobody has given a verdict: all may have failed
		{"majority", "yna", core.AnswerTie},
		{"majority", "yaa", core.AnswerNoQuorum},
		{"majority", "aaa", core.AnswerNoQuorum},
		{"majority", "yyii", core.AnswerNoQuorum},
		{"quorum:2", "yy--", core.AnswerYes},
		{"quorum:2", "nnn-", core.AnswerNo},
		{"quorum:2", "nn--", undecided},
		{"quorum:3", "yyff", core.AnswerNoQuorum},
		{"quorum:4 weights:a=3", "yy--", core.AnswerYes},
		{"majority weights:a=3,b=2", "yn--", undecided}, // 3 of 7 for it
		{"majority weights:a=3,b=2", "ynn-", undecided}, // 3 and 3
		{"majority weights:a=3,b=2", "ynna", core.AnswerTie},
		{"majority veto:b", "yny", core.AnswerNo},
		{"majority veto:b", "y-y", undecided}, // b may veto
		{"majority veto:b", "yay", core.AnswerYes},
		{"majority veto:b", "yfy", core.AnswerNoQuorum}, // silence is no consent
		{"majority rest:finish", "yy-", core.AnswerYes},
	} {
		t.Run(test.policy+" "+test.outcomes, func(t *testing.T) {
			policy, err := decision.ParsePolicy(test.policy)
			if err != nil {
				t.Fatal(err)
			}
			got, decided := decision.Decide(policy, agentsFor(len(test.outcomes)), outcomesOf(test.outcomes))
			if decided != (test.want != undecided) || got.Answer != test.want || decided && got.State != core.Completed {
				t.Errorf("decided %v: %+v, want %q", decided, got, test.want)
			}
			rest := decided && strings.Contains(test.outcomes, "-") && !strings.Contains(test.policy, "finish")
			if got.EndsRest != rest {
				t.Errorf("it ends the rest: %v", got.EndsRest)
			}
		})
	}
}

// TestNoVerdictIsNotAFail proves that a delegation in which nobody has answered fails
// without a no, whatever its policy is: what broke in kenn-io/roborev was that agents
// without a verdict counted as if they had been against it.
func TestNoVerdictIsNotAFail(t *testing.T) {
	for _, policy := range []core.Policy{core.All, core.Any, core.Majority, "quorum:1", "quorum:3", "majority veto:a"} {
		for outcomes, state := range map[string]core.TaskState{"fff": core.Failed, "iii": core.Failed, "fic": core.Failed, "ffc": core.Canceled, "ccc": core.Canceled} {
			got, decided := decision.Decide(policy, agentsFor(3), outcomesOf(outcomes))
			if !decided || got.Answer != core.AnswerNoQuorum || got.State != state {
				t.Errorf("%s with %s: decided %v: %+v, want no quorum, %s", policy, outcomes, decided, got, state)
			}
		}
	}
}

// TestUnreadableIsNotCounted proves that an answer which is no verdict never helps to
// reach a quorum: what broke in synaptent/aragora was that it did.
func TestUnreadableIsNotCounted(t *testing.T) {
	for policy, outcomes := range map[core.Policy]string{"quorum:2": "yin", "majority": "yiny", "all": "yyi", "quorum:3": "iyy"} {
		got, decided := decision.Decide(policy, agentsFor(len(outcomes)), outcomesOf(outcomes))
		if !decided || got.Answer != core.AnswerNoQuorum {
			t.Errorf("%s with %s: decided %v: %+v, want no quorum", policy, outcomes, decided, got)
		}
	}
}

// TestDecidedAsSoonAsItCannotChange proves, for small teams under all kinds of policies
// and by trying every way in which the rest may end, that a delegation is decided when
// and only when all of them come to the same; and what that is, by counting anew.
func TestDecidedAsSoonAsItCannotChange(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	ends, letters := "ynaif", "ynaif-"
	tried := 0
	for range 4000 {
		n := 1 + random.IntN(4)
		agents := agentsFor(n)
		policy, weights, veto := randomPolicy(random, agents)
		if decision.Check(policy, agents) != nil {
			continue
		}
		now := make([]byte, n)
		for i := range now {
			now[i] = letters[random.IntN(len(letters))]
		}
		got, decided := decision.Decide(policy, agents, outcomesOf(string(now)))
		comes := map[core.Answer]bool{}
		states := map[core.TaskState]bool{}
		complete(string(now), ends, func(all string) {
			d, over := decision.Decide(policy, agents, outcomesOf(all))
			if !over {
				t.Fatalf("%s is undecided with %s", policy, all)
			}
			if want := recount(policy, weights, veto, all); d.Answer != want {
				t.Fatalf("%s with %s is %s, want %s", policy, all, d.Answer, want)
			}
			comes[d.Answer], states[d.State] = true, true
			tried++
		})
		settled := len(comes) == 1 && len(states) == 1
		if decided != settled || decided && (!comes[got.Answer] || !states[got.State]) {
			t.Fatalf("%s with %s: decided %v as %+v, and it may come to %v, %v", policy, now, decided, got, comes, states)
		}
	}
	if tried < 10_000 {
		t.Errorf("only %d ends were tried", tried)
	}
}

func randomPolicy(random *rand.Rand, agents []core.AgentName) (core.Policy, []int, int) {
	text := []string{"all", "any", "majority", fmt.Sprintf("quorum:%d", 1+random.IntN(6))}[random.IntN(4)]
	weights, veto := make([]int, len(agents)), -1
	for i := range weights {
		weights[i] = 1
	}
	if random.IntN(2) == 0 {
		var list []string
		for i, a := range agents {
			weights[i] = 1 + random.IntN(4)
			list = append(list, fmt.Sprintf("%s=%d", a, weights[i]))
		}
		text += " weights:" + strings.Join(list, ",")
	}
	if random.IntN(3) == 0 {
		veto = random.IntN(len(agents))
		text += " veto:" + string(agents[veto])
	}
	policy, err := decision.ParsePolicy(text)
	if err != nil {
		panic(err) // it is written as it has to be
	}
	return policy, weights, veto
}

// complete tries every way in which those at work may end.
func complete(now, ends string, try func(string)) {
	i := strings.IndexByte(now, '-')
	if i < 0 {
		try(now)
		return
	}
	for _, end := range ends {
		complete(now[:i]+string(end)+now[i+1:], ends, try)
	}
}

// recount says what a policy makes of verdicts that are all there, from its sentences
// and not from its code.
func recount(policy core.Policy, weights []int, veto int, all string) core.Answer {
	yes, no, whole, answered := 0, 0, 0, 0
	for i, l := range all {
		whole += weights[i]
		switch l {
		case 'y':
			yes += weights[i]
		case 'n':
			no += weights[i]
		}
		if strings.ContainsRune("yna", l) {
			answered++
		}
	}
	var isYes, isNo bool
	switch word, _, _ := strings.Cut(string(policy), " "); word {
	case "all":
		isYes, isNo = yes == whole, no > 0
	case "any":
		isYes, isNo = yes > 0, no == whole
	case "majority":
		isYes, isNo = yes > whole-yes, no > whole-no
	default:
		var quorum int
		if _, err := fmt.Sscanf(word, "quorum:%d", &quorum); err != nil {
			panic(err)
		}
		isYes, isNo = yes >= quorum, whole-no < quorum
	}
	if veto >= 0 {
		isNo = isNo || all[veto] == 'n'
		isYes = isYes && strings.IndexByte("ya", all[veto]) >= 0
	}
	switch {
	case isNo:
		return core.AnswerNo
	case isYes:
		return core.AnswerYes
	case answered == len(all) && yes == no && yes > 0:
		return core.AnswerTie
	}
	return core.AnswerNoQuorum
}

// TestParsePolicy proves in which form policies are kept, and what is said of those that
// are not understood.
func TestParsePolicy(t *testing.T) {
	for text, want := range map[string]string{
		"Majority": "majority", " all ": "all", "quorum:3": "quorum:3",
		"veto:priest,finn rest:cancel WEIGHTS:vera=1,finn=2 any": "any weights:finn=2 veto:finn,priest",
		"majority rest:finish weights:finn=1":                    "majority rest:finish",
	} {
		if got, err := decision.ParsePolicy(text); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"": "empty", "unanimous": `"unanimous" is not a policy: write all, any`, "quorum": "not a number", "quorum:0": "not a number", "quorum:+3": "not a number",
		"veto:finn": "write all, any, majority or quorum:N first", "all any": "repeats", "quorum:2 majority": "repeats", "all veto:": "missing", "all weights:finn": "not a number",
		"all weights:finn=2,finn=3": "once", "all rest:wait": "is not valid", "all weights:finn=100": "not a number", "all " + strings.Repeat("x", 3000): "2000 bytes",
	} {
		if got, err := decision.ParsePolicy(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is %q, %v; want an error with %q", text, got, err, want)
		}
	}
	for policy, want := range map[core.Policy]string{"quorum:3": "cannot be reached", "all veto:finn": "finn, but only these agents are asked", "all weights:finn=2": "finn", "most": "is not a policy"} {
		if err := decision.Check(policy, agentsFor(2)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q fits two agents: %v; want an error with %q", policy, err, want)
		}
		if got, decided := decision.Decide(policy, agentsFor(2), outcomesOf("y-")); !decided || got.State != core.Failed || got.Answer != "" {
			t.Errorf("%q: decided %v, %+v; want a failure", policy, decided, got)
		}
	}
}
