package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

func says(answer, reasoning string) string {
	return do(llmtest.ToolCall{Tool: "submit_verdict", Args: `{"answer": "` + answer + `", "reasoning": "` + reasoning + `", "confidence": 0.8}`})
}

func after(d, part string) string { return "after " + d + " " + part }

// TestDecision proves what a task that is to decide something comes to: the answer, who
// is counted, and what its result says.
func TestDecision(t *testing.T) {
	panel := []core.AgentName{"sasha", "finn", "priest"}
	type parts = map[core.AgentName][]string
	for _, test := range []struct {
		name      string
		policy    string
		deadline  time.Duration
		parts     parts // what each agent does, call by call
		pass      time.Duration
		state     core.TaskState
		answer    core.Answer
		standings string // of sasha, finn, priest, by their first letters
		says      []string
	}{
		{name: "all for it", parts: parts{"sasha": {says("YES", "cheap")}, "finn": {says("yes", "safe")}, "priest": {says("Yes", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerYes, standings: "ccc",
			says: []string{`Decision: YES, by the policy "all".`, "3 asked; 3 counted: 3 YES, 0 NO, 0 ABSTAIN; 0 invalid, 0 late, 0 absent.", "## Sasha: YES, confidence 0.8\ncheap", "## Priest: YES, confidence 0.8\nright"}},
		{name: "decided by the second, the third is not waited for", parts: parts{"sasha": {says("NO", "dear")}, "finn": {says("NO", "unsafe")}, "priest": {after("9h", says("YES", "right"))}},
			pass: time.Minute, state: core.Completed, answer: core.AnswerNo, standings: "cca", says: []string{"## Priest: absent, not counted\n(no report)"}},
		{name: "the rest is left to finish, and is late", policy: "majority rest:finish",
			parts: parts{"sasha": {says("NO", "dear")}, "finn": {says("NO", "unsafe")}, "priest": {after("9h", says("YES", "right"))}},
			pass:  10 * time.Hour, state: core.Completed, answer: core.AnswerNo, standings: "ccl", says: []string{"## Priest: late, not counted (YES)\nright"}},
		{name: "a tie", parts: parts{"sasha": {says("NO", "dear")}, "finn": {says("YES", "safe")}, "priest": {says("ABSTAIN", "no idea")}},
			state: core.Completed, answer: core.AnswerTie, standings: "ccc"},
		{name: "prose is asked for once more", parts: parts{"sasha": {"say I think yes", says("YES", "cheap")}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerYes, standings: "ccc"},
		{name: "prose twice is no verdict", parts: parts{"sasha": {"say I think yes", "say YES"}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerNoQuorum, standings: "icc", says: []string{"## Sasha: invalid, not counted: the answer was not a verdict\nYES"}},
		{name: "in a code fence", parts: parts{"sasha": {"say ```json\n{\"answer\": \"YES\"}\n```", "say ```\nYES\n```"}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerNoQuorum, standings: "icc"},
		{name: "in Spanish, mended", parts: parts{"sasha": {says("SÍ", "barato"), says("YES", "barato")}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerYes, standings: "ccc"},
		{name: "in Spanish, insisted on", parts: parts{"sasha": {says("SÍ", "barato"), says("SÍ", "barato")}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerNoQuorum, standings: "icc"},
		{name: "cut off", parts: parts{"sasha": {do(llmtest.ToolCall{Tool: "submit_verdict", Args: `{"answer": "YES", "reas`}), says("YES", "cheap")}, "finn": {says("YES", "safe")}, "priest": {says("YES", "right")}},
			policy: "all", state: core.Completed, answer: core.AnswerYes, standings: "ccc"},
		{name: "twice, and the first counts", parts: parts{
			"sasha": {do(llmtest.ToolCall{Tool: "submit_verdict", Args: `{"answer": "NO", "reasoning": "dear", "confidence": 1}`}, llmtest.ToolCall{Tool: "submit_verdict", Args: `{"answer": "YES", "reasoning": "dear", "confidence": 1}`})},
			"finn":  {says("NO", "unsafe")}, "priest": {says("NO", "wrong")}},
			policy: "any", state: core.Completed, answer: core.AnswerNo, standings: "ccc"},
		{name: "it looks something up first", parts: parts{
			"sasha": {do(llmtest.Use("recall", map[string]string{"key": "x"})), says("YES", "cheap")}, "finn": {says("YES", "safe")}, "priest": {after("1h", says("YES", "right"))}},
			state: core.Completed, answer: core.AnswerYes, standings: "cca"},
		{name: "nobody has a verdict", parts: parts{"sasha": {"say a", "say b"}, "finn": {"say a", "say b"}, "priest": {"say a", "say b"}},
			state: core.Failed, answer: core.AnswerNoQuorum, standings: "iii", says: []string{"0 counted"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				for agent, lines := range test.parts {
					in.Stage.Plays(string(agent), lines...)
				}
				in.Decide("shall we fly?", api.NewTask{Expect: api.ExpectDecision, Policy: test.policy, Deadline: int(test.deadline / time.Second)}, panel...)
				in.Pass(test.pass)
				task := in.Tasks()[0]
				if task.State != test.state || task.Decision != test.answer {
					t.Errorf("it is %s with %q, want %s with %q: %s%s", task.State, task.Decision, test.state, test.answer, task.Result, task.Error)
				}
				var standings string
				for _, v := range task.Verdicts {
					standings += string(v.Standing)[:1]
				}
				if standings != test.standings {
					t.Errorf("the verdicts are %q, want %q: %+v", standings, test.standings, task.Verdicts)
				}
				for _, want := range test.says {
					if !strings.Contains(task.Result+task.Error, want) {
						t.Errorf("its result is\n%s\nwant %q in it", task.Result+task.Error, want)
					}
				}
				for _, agent := range panel {
					if id := string(core.SubAgentOwner(task.ID, agent)); in.IsRunning(id) {
						t.Errorf("%s is at work still", agent)
					}
				}
			})
		})
	}
}

// TestAskedAgain proves that an agent which answers without a verdict reads, once, that
// it is missing, and in a step of its own.
func TestAskedAgain(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Stage.Plays("sasha", "say I would say yes")
		in.Decide("shall we fly?", api.NewTask{Expect: api.ExpectDecision}, "sasha")
		requests := in.Stage.Requests()
		if len(requests) != 2 {
			t.Fatalf("the model is called %d times, want twice", len(requests))
		}
		if !slices.ContainsFunc(requests[1].Messages, func(m core.Message) bool {
			return m.Speaker == core.FromPerson && strings.Contains(m.Text, "your verdict is missing")
		}) {
			t.Errorf("the second call is given %+v", requests[1].Messages)
		}
		if task := in.Tasks()[0]; task.State != core.Failed || task.Decision != core.AnswerNoQuorum {
			t.Errorf("it is %s with %q", task.State, task.Decision)
		}
	})
}

// TestVerdictTool proves that an agent is offered submit_verdict where a task is to decide
// something, and nowhere else.
func TestVerdictTool(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		offered := func() bool {
			requests := in.Stage.Requests()
			for _, tool := range requests[len(requests)-1].Tools {
				if tool.Name == "submit_verdict" {
					return true
				}
			}
			return false
		}
		in.Delegate("hello", "sasha")
		if offered() {
			t.Error("it is offered in a task that reports")
		}
		in.Stage.Plays("sasha", says("YES", "why not"))
		in.Decide("hello?", api.NewTask{Expect: api.ExpectDecision}, "sasha")
		if !offered() {
			t.Error("it is not offered")
		}
		in.Send(says("YES", "nobody asked"))
		if read := in.Read(); len(read) != 1 || !strings.Contains(read[0], `no tool "submit_verdict"`) {
			t.Errorf("in a session the person reads %q", read)
		}
	})
}

// TestDeadline proves that a task ends with what is there when its deadline is over, that
// nobody goes on working on it, and that a verdict which comes behind it is late.
func TestDeadline(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Stage.Plays("sasha", says("YES", "cheap"))
		in.Stage.Plays("finn", do(ask("priest", "wait 9h")))
		in.Decide("shall we fly?", api.NewTask{Expect: api.ExpectDecision, Policy: "any veto:finn", Deadline: 3600}, "sasha", "finn")
		in.Decide("wait 10h", api.NewTask{Deadline: 3600}, "vera")
		in.Stage.Plays("sasha", says("YES", "cheap"))
		in.Stage.Plays("vera", after("61m", says("NO", "dear")))
		in.Decide("at once?", api.NewTask{Expect: api.ExpectDecision, Policy: "all", Deadline: 3600}, "sasha", "vera")
		in.Pass(time.Hour - time.Minute)
		in.Reconcile()
		for _, task := range in.Tasks() {
			if task.State != core.Working {
				t.Errorf("%s is %s before its time", task.ID, task.State)
			}
		}
		in.Pass(3 * time.Minute)
		in.Reconcile()
		ended := map[string]core.Task{}
		for _, task := range in.Tasks() {
			ended[task.Text] = task
			if !task.State.Terminal() {
				t.Errorf("%s (%s) is %s after its time", task.ID, task.Text, task.State)
			}
			for _, agent := range task.Agents {
				if in.IsRunning(string(core.SubAgentOwner(task.ID, agent))) {
					t.Errorf("%s is at work on %s still", agent, task.ID)
				}
			}
		}
		fly := ended["shall we fly?"]
		if fly.State != core.Completed || fly.Decision != core.AnswerNoQuorum || fly.Verdicts[0].Standing != core.StandingCounted || fly.Verdicts[1].Standing != core.StandingAbsent {
			t.Errorf("it is %s with %q: %+v", fly.State, fly.Decision, fly.Verdicts)
		}
		if below := ended["wait 9h"]; below.State != core.Canceled || below.Reason != core.ReasonAbove {
			t.Errorf("what an agent had delegated is %s for %q", below.State, below.Error)
		}
		if report := ended["wait 10h"]; report.State != core.Failed || !strings.Contains(report.Error, "(no report)") {
			t.Errorf("the one that reports is %s: %q", report.State, report.Error)
		}
		once := ended["at once?"]
		if once.Decision != core.AnswerNoQuorum || once.Verdicts[1].Standing != core.StandingLate {
			t.Errorf("with a verdict behind the deadline it is %q: %+v", once.Decision, once.Verdicts)
		}
	})
}
