package app_test

import (
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/workflows"
)

// tree is a task that has delegated to another, both at work.
func (in *installation) tree(s *stage) (key errand.SessionKey, top, below errand.Task) {
	in.t.Helper()
	key = in.say("main", do(send("sasha", do(send("finn", "wait never")))))
	in.until(key, replies(1))
	s.begun(in.t, "finn", 1)
	list := in.awaitTasks(2)
	return key, list[1], list[0]
}

// silent proves that no model call of agents begins any more: the next turns of
// another chat pass by them.
func (in *installation) silent(s *stage, agents ...string) {
	in.t.Helper()
	before := map[string]int{}
	for _, a := range agents {
		before[a] = s.calls(a)
	}
	in.passBy()
	for _, a := range agents {
		if n := s.calls(a) - before[a]; n > 0 {
			in.t.Errorf("%d model calls of %s began after it had been ended", n, a)
		}
	}
}

// passBy lets turns of another chat pass.
func (in *installation) passBy() {
	in.t.Helper()
	for range 3 {
		key := in.say("elsewhere", do(ask("priest", "something")))
		n := len(said(in.until(key, replies(1))))
		in.say("elsewhere", "and")
		in.until(key, replies(n+1))
	}
}

func TestStop(t *testing.T) {
	in, s := play(t, nil)
	key := in.say("main", do(send("sasha", "wait first")))
	in.until(key, replies(1))
	s.begun(t, "sasha", 1)
	in.say("main", do(ask("finn", do(ask("priest", "wait never")))))
	s.begun(t, "priest", 1)
	in.command("main", "/stop")
	for _, task := range tasks(in) {
		if task.AgentList() == "sasha" {
			continue
		}
		if got := in.ended(task.ID); got.State != errand.Canceled {
			t.Errorf("%s is %s; want it canceled with the turn", got.AgentList(), got.State)
		}
	}
	in.silent(s, "finn", "sasha")
	s.open("first")
	in.until(key, heard("done first"))
	in.say("main", "hello")
	got := said(in.until(key, heard("you said hello")))
	if len(got) != 4 || got[1] != "The turn was stopped." {
		t.Errorf("the person reads %q; want the stop, the background task's result and an answer", got)
	}
}

func TestStopAll(t *testing.T) {
	in, s := play(t, nil)
	key := in.say("main", do(send("sasha", "wait never"), send("priest", do(send("vera", "wait never")))))
	in.until(key, replies(1))
	s.begun(t, "sasha", 1)
	s.begun(t, "vera", 1)
	in.say("main", do(ask("finn", "wait never")))
	s.begun(t, "finn", 1)
	in.command("main", "/stop all")
	for _, task := range in.awaitTasks(4) {
		if got := in.ended(task.ID); got.State != errand.Canceled {
			t.Errorf("%s is %s; want all canceled", got.AgentList(), got.State)
		}
	}
	in.say("main", "hello")
	if got := said(in.until(key, heard("you said hello"))); len(got) != 3 || got[1] != "The turn was stopped." {
		t.Errorf("after the stop the person reads %q", got)
	}
	in.silent(s, "sasha", "vera", "finn")
}

// TestCancel proves that a task ends, with everything below it, whoever ends it
// and how, and that it has an outcome which whoever does not know it is told.
func TestCancel(t *testing.T) {
	tests := []struct {
		name   string
		cancel func(in *installation, id errand.TaskID) error
		state  errand.TaskState
		why    string
		told   bool
	}{
		{"by the service", func(in *installation, id errand.TaskID) error {
			_, err := in.Service.CancelTask(in.t.Context(), in.owner(), id, "I know already")
			return err
		}, errand.Canceled, "I know already", false},
		{"by a plain signal", func(in *installation, id errand.TaskID) error {
			return in.Client.SignalWorkflow(in.t.Context(), string(id), "", "cancel", "no longer needed")
		}, errand.Canceled, "no longer needed", true},
		{"by a signal without a reason", func(in *installation, id errand.TaskID) error {
			return in.Client.SignalWorkflow(in.t.Context(), string(id), "", "cancel", nil)
		}, errand.Canceled, "canceled", true},
		{"by a signal that is no string", func(in *installation, id errand.TaskID) error {
			return in.Client.SignalWorkflow(in.t.Context(), string(id), "", "cancel", map[string]int{"reason": 7})
		}, errand.Canceled, "canceled", true},
		{"in the Web UI", func(in *installation, id errand.TaskID) error {
			return in.Client.CancelWorkflow(in.t.Context(), string(id), "")
		}, errand.Canceled, "canceled from the Temporal Web UI or command line", true},
		{"by termination in the Web UI", func(in *installation, id errand.TaskID) error {
			return in.Client.TerminateWorkflow(in.t.Context(), string(id), "", "enough")
		}, errand.Failed, "its workflow was terminated", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in, s := play(t, nil)
			key, top, below := in.tree(s)
			if err := test.cancel(in, top.ID); err != nil {
				t.Fatal(err)
			}
			if test.state == errand.Failed {
				in.look()
			}
			got := in.ended(top.ID)
			if got.State != test.state || got.Error != test.why {
				t.Errorf("the task is %s, %q; want %s, %q", got.State, got.Error, test.state, test.why)
			}
			if nested := in.ended(below.ID); nested.State == errand.Completed {
				t.Errorf("what it delegated is %s", nested.State)
			}
			in.silent(s, "finn")
			if !test.told {
				in.say("main", "hello")
				if texts := said(in.until(key, replies(2))); texts[1] != "you said hello" {
					t.Errorf("the person is told %q", texts[1])
				}
				return
			}
			if texts := said(in.until(key, replies(2))); !strings.Contains(texts[1], test.why) {
				t.Errorf("the person is told %q; want the reason %q in it", texts[1], test.why)
			}
		})
	}
}

// TestKill proves that no model call of a tree begins once CancelTask has
// returned, though all of its agents are at it again and again.
func TestKill(t *testing.T) {
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *workflows.Settings) {
			quick(s)
			s.MaxSteps = agents.MaxMaxSteps
		}
	}, func(cfg *config.Config) { cfg.Budgets = config.Budgets{} })
	note := tool("remember", map[string]string{"key": "k", "value": "v"})
	key := in.say("main", do(send("sasha", do(send("finn", "loop"), note)), send("priest", do(send("vera", "loop")))))
	in.until(key, replies(1))
	s.begun(t, "finn", 3)
	s.begun(t, "vera", 3)
	for _, task := range in.awaitTasks(4) {
		if task.Parent != "" {
			continue
		}
		if _, err := in.Service.CancelTask(t.Context(), in.owner(), task.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	// Each agent takes one step at a time. A call whose first transaction was over
	// may still be on its way here, however long: one of each of the three, so 3.
	before := map[string]int{}
	for _, a := range []string{"finn", "vera", "sasha"} {
		before[a] = s.calls(a)
	}
	in.say("main", "hello")
	in.until(key, replies(2))
	in.passBy()
	for a, n := range before {
		if flying := s.calls(a) - n; flying > 1 {
			t.Errorf("%d model calls of %s began after the kill", flying, a)
		}
	}
	for _, task := range tasks(in) {
		if task.Origin.Chat == "main" && task.State != errand.Canceled {
			t.Errorf("%s is %s", task.AgentList(), task.State)
		}
	}
}
