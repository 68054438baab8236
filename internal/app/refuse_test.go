package app_test

import (
	"strings"
	"testing"

	"errand"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/workflows"
)

// TestModelsMistakes proves that what a model asks for and cannot have is
// answered to it, and the turn goes on.
func TestModelsMistakes(t *testing.T) {
	t.Parallel()
	many := make([]call, 1000)
	for i := range many {
		many[i] = tool("list_pending_async_agents", nil)
	}
	tests := []struct {
		name  string
		text  string
		want  []string // in the reply, which repeats what the model was answered
		tasks int
	}{
		{"a tool that is not there", do(call{Tool: "fly_to_oslo", Args: "{}"}), []string{`there is no tool "fly_to_oslo"`}, 0},
		{"arguments that are no JSON", do(call{Tool: "call_agent", Args: "sasha, please"}), []string{"no JSON object"}, 0},
		{"arguments that are no object", do(call{Tool: "recall", Args: "[1]"}), []string{"no JSON object"}, 0},
		{"nobody to send", do(ask("", "trains")), []string{`"agent" is missing`}, 0},
		{"an unknown agent", do(ask("bob", "trains")), []string{`Nikki cannot delegate to "bob"`, "sasha, finn, priest"}, 0},
		{"nothing to do", do(ask("sasha", " ")), []string{`"task" is missing`}, 0},
		{"one good, one bad", do(ask("sasha", "trains"), call{Tool: "fly_to_oslo", Args: "{}"}), []string{"you said trains", "there is no tool"}, 1},
		{"the same task twice", do(send("sasha", "night  trains"), send("sasha", "night trains")), nil, 1},
		{"a thousand calls", do(many...), []string{"No task is at work", "at most 32 calls"}, 0},
		{"an agent of the chain", do(ask("sasha", do(ask("finn", do(ask("sasha", "again")))))),
			[]string{"Sasha is in the chain that led here"}, 2},
		{"too deep", do(ask("sasha", do(ask("finn", do(ask("priest", do(ask("vera", "deep")))))))),
			[]string{"delegations nest 3 deep at most"}, 3},
	}
	in, _ := play(t, nil)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			chat := strings.ReplaceAll(test.name, ",", "")
			key := in.say(chat, test.text)
			reply := said(in.until(key, replies(1)))[0]
			for _, want := range test.want {
				if !strings.Contains(reply, want) {
					t.Errorf("the model was answered %.600q; want %q in it", reply, want)
				}
			}
			n := 0
			for _, task := range tasks(in) {
				if task.Origin.Chat == chat {
					n++
				}
			}
			if n != test.tasks {
				t.Errorf("%d tasks were made, want %d", n, test.tasks)
			}
		})
	}
}

// TestModelRefuses proves that the person is told why there is no answer, at
// once where waiting cannot help.
func TestModelRefuses(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	s.failing("nikki", &llm.Error{Kind: llm.Refused, Provider: "openai", Status: 401, Message: "the key was not accepted"})
	key := in.say("main", "hello")
	got := in.until(key, replies(1))
	if last := got[len(got)-1]; last.Type != errand.EventError || !strings.Contains(last.Text, "the key was not accepted") {
		t.Errorf("the person is told %q", said(got))
	}
	if n := s.calls("nikki"); n != 1 {
		t.Errorf("the model was called %d times", n)
	}
	s.failing("nikki", nil)
	s.failing("sasha", &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"})
	in.say("main", do(ask("sasha", "trains")))
	if reply := said(in.until(key, replies(2)))[1]; !strings.Contains(reply, "sasha: failed") || !strings.Contains(reply, "the key was not accepted") {
		t.Errorf("the sub-agent's failure is told as %q", reply)
	}
}

// TestBudget proves that a tree of work stops at its budget, and that whoever
// asked is told.
func TestBudget(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, func(cfg *config.Config) { cfg.Budgets.Turn = config.Budget{Calls: 5} })
	key := in.say("main", do(ask("sasha", "loop")))
	got := in.until(key, replies(1))
	if text := said(got)[0]; !strings.Contains(text, "one request may use 5 model calls") {
		t.Errorf("the person is told %q", text)
	}
	if n := len(s.Requests()); n > 5 {
		t.Errorf("%d model calls were made of 5", n)
	}
	in.say("main", "hello")
	in.until(key, heard("you said hello"))
}

// TestPause proves that what is said while errand is paused is answered once it
// is resumed, and that meanwhile no model is called.
func TestPause(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	key := in.say("main", do(send("sasha", "after late "+do(tool("remember", map[string]string{"key": "k", "value": "v"})))))
	in.until(key, replies(1))
	s.begun(t, "sasha", 1)
	if err := in.Service.Pause(t.Context(), in.owner()); err != nil {
		t.Fatal(err)
	}
	before := len(s.Requests())
	in.say("main", "hello")
	s.open("late")
	eventually(t, "a step to be refused, and to look again rarely", func() bool { return in.paused(key) && in.waitsLong(key) })
	if n := len(s.Requests()) - before; n > 0 {
		t.Errorf("%d model calls began while errand was paused", n)
	}
	if err := in.Service.Resume(t.Context(), in.owner()); err != nil {
		t.Fatal(err)
	}
	// Left to itself, it would look again in a minute, which this does not wait for.
	in.until(key, heard("you said hello"))
	in.until(key, heard("Noted."))
}

// waitsLong reports whether a session that waits for resume looks again in a while
// only.
func (in *installation) waitsLong(key errand.SessionKey) bool {
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
	if err != nil {
		return false
	}
	for _, a := range desc.GetPendingActivities() {
		if a.GetActivityType().GetName() == workflows.AwaitResumeActivity && a.GetAttempt() > 2 {
			return true
		}
	}
	return false
}

// paused reports whether a step of a session was refused because errand is
// paused.
func (in *installation) paused(key errand.SessionKey) bool {
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
	if err != nil {
		return false
	}
	for _, a := range desc.GetPendingActivities() {
		if a.GetLastFailure().GetApplicationFailureInfo().GetType() == "paused" {
			return true
		}
	}
	for _, e := range in.history(in.t.Context(), string(key), "").GetEvents() {
		if e.GetActivityTaskFailedEventAttributes().GetFailure().GetApplicationFailureInfo().GetType() == "paused" {
			return true
		}
	}
	return false
}
