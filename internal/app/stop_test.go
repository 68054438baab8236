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

// TestTerminated proves that a task ends, with everything below it, whose workflow
// somebody terminates in the Web UI, and that the chat is told.
func TestTerminated(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	key, top, below := in.tree(s)
	if err := in.Client.TerminateWorkflow(t.Context(), string(top.ID), "", "enough"); err != nil {
		t.Fatal(err)
	}
	in.look()
	const why = "its workflow was terminated"
	if got := in.ended(top.ID); got.State != errand.Failed || got.Error != why {
		t.Errorf("the task is %s, %q; want it failed, %q", got.State, got.Error, why)
	}
	if nested := in.ended(below.ID); nested.State == errand.Completed {
		t.Errorf("what it delegated is %s", nested.State)
	}
	in.silent(s, "finn")
	if texts := said(in.until(key, replies(2))); !strings.Contains(texts[1], why) {
		t.Errorf("the person is told %q; want the reason %q in it", texts[1], why)
	}
}

// TestKill proves that no model call of a tree begins once CancelTask has
// returned, though all of its agents are at it again and again.
func TestKill(t *testing.T) {
	t.Parallel()
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
