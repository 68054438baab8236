package app_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/llm"
	"errand/internal/service"
	"errand/workflows"
)

// TestSuspended proves that a suspended session is woken by a late result, and
// does not answer a second time what it had answered.
func TestSuspended(t *testing.T) {
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *workflows.Settings) { quick(s); s.SuspendAfter = time.Second }
	})
	key := in.sayAs("main", do(send("sasha", "wait late")), "id-1")
	in.until(key, replies(1))
	in.suspended(key)
	in.sayAs("main", do(send("sasha", "wait late")), "id-1")
	in.suspended(key)
	s.open("late")
	got := said(in.until(key, replies(2)))
	if !strings.Contains(got[1], "done late") {
		t.Errorf("the person reads %q", got)
	}
	in.suspended(key)
	in.say("main", "hello")
	if got = said(in.until(key, heard("you said hello"))); len(got) != 3 {
		t.Errorf("the person reads %q", got)
	}
	list := tasks(in)
	if len(list) != 1 || list[0].Way != errand.WayFold {
		t.Errorf("tasks are %v; want one, by way of fold", list)
	}
}

// TestContinuedSession proves that a session loses nothing when its workflow
// begins a new run after every turn.
func TestContinuedSession(t *testing.T) {
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *workflows.Settings) { quick(s); s.TurnsPerRun = 1 }
	})
	key := in.say("main", do(send("sasha", "wait late")))
	in.until(key, replies(1))
	for i := range 5 {
		in.say("main", fmt.Sprintf("m%d", i))
	}
	s.open("late")
	for i := range 5 {
		in.until(key, heard(fmt.Sprintf("m%d", i)))
	}
	got := said(in.until(key, heard("done late")))
	if all := strings.Join(got, "\n"); strings.Count(all, "done late") != 1 || strings.Count(all, "m4") != 1 {
		t.Errorf("the person reads %q", got)
	}
}

// TestFoldWindow proves that results which arrive together are told in one turn.
func TestFoldWindow(t *testing.T) {
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *workflows.Settings) { quick(s); s.FoldWindow = time.Hour }
	})
	key := in.say("main", do(send("sasha", "wait late"), send("finn", "wait late"), send("priest", "wait late"), send("sasha", "wait never")))
	in.until(key, replies(1))
	s.begun(t, "priest", 1)
	before := s.calls("nikki")
	s.open("late")
	eventually(t, "three outcomes", func() bool {
		n := 0
		for _, task := range tasks(in) {
			if task.State.Terminal() {
				n++
			}
		}
		return n == 3
	})
	s.open("never") // nothing is open any more: the window ends
	got := said(in.until(key, replies(2)))
	if strings.Count(got[1], "done late") != 3 || strings.Count(got[1], "done never") != 1 || s.calls("nikki") != before+1 {
		t.Errorf("%d model calls tell %q; want one, with all four", s.calls("nikki")-before, got[1:])
	}
}

// TestFailedFold proves that results reach the person though the agent cannot
// tell them, whatever the reason.
func TestFailedFold(t *testing.T) {
	tests := []struct {
		name    string
		err     error
		message string // written before the results are told
		want    []string
	}{
		{name: "until the fold timeout", err: &llm.Error{Kind: llm.Overloaded, Status: 500, Message: "down"},
			want: []string{"Sasha here: "}},
		{name: "for good", err: &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"},
			want: []string{"Sasha here: "}},
		{name: "for good, with a message", err: &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"},
			message: "after written hello", want: []string{"Sasha here: ", "The model provider rejected the API key. "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, s := play(t, func(o *app.Options) {
				o.Settings = func(s *workflows.Settings) { quick(s); s.FoldTimeout = time.Second }
			})
			key := in.say("main", do(send("sasha", "wait late")))
			in.until(key, replies(1))
			if test.message != "" {
				// Both wait for a turn that is still running.
				in.say("main", "wait first")
				s.begun(t, "nikki", 3)
				in.say("main", "hello")
				s.open("late")
				eventually(t, "the outcome", func() bool { return tasks(in)[0].State.Terminal() })
				s.failing("nikki", test.err)
				s.open("first")
				in.until(key, replies(2))
			} else {
				s.failing("nikki", test.err)
				s.open("late")
			}
			in.until(key, heard("Sasha here: "))
			before := 1
			if test.message != "" {
				before = 2
			}
			got := said(in.until(key, replies(before+len(test.want))))[before:]
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("the person reads %q, want %q", got, test.want)
				}
			}
			if task := in.ended(tasks(in)[0].ID); task.Way != errand.WayNotification || !strings.Contains(got[0], "done late") {
				t.Errorf("the result went by %q as %q", task.Way, got[0])
			}
			s.failing("nikki", nil)
			in.say("main", "and now")
			in.until(key, heard("and now"))
		})
	}
}

// TestNobodyToTell proves that a task without a chat keeps its outcome.
func TestNobodyToTell(t *testing.T) {
	in, _ := play(t, nil)
	task, err := in.Gateway.Delegate(t.Context(), service.Delegation{Person: app.Owner, Role: errand.MasterAdmin,
		Agents: []errand.AgentName{"sasha", "finn", "sasha"}, Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	got := in.ended(task.ID)
	if got.State != errand.Completed || got.Way != errand.WayNone || strings.Count(got.Result, "you said hello") != 2 {
		t.Errorf("the task is %s by way %q: %q", got.State, got.Way, got.Result)
	}
}
