package app_test

import (
	"strings"
	"testing"

	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

// passBy lets turns of another chat pass, with tasks of theirs.
func (in *installation) passBy(chat string) {
	in.t.Helper()
	for range 3 {
		key := in.send(chat, do(ask("priest", "something")))
		n := len(textsOf(in.until(key, replies(1))))
		in.send(chat, "and")
		in.until(key, replies(n+1))
	}
}

// TestStops proves that what is ended on the real server is over.
func TestStops(t *testing.T) {
	t.Parallel()
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(s *wire.Settings) {
			quick(s)
			s.MaxSteps = agents.MaxMaxSteps
		}
	}, func(cfg *config.Config) { cfg.Budgets = config.Budgets{} })
	t.Run("a task that is terminated in the Web UI", func(t *testing.T) { in.terminated(t, s) })
	t.Run("tasks that are killed", func(t *testing.T) { in.killed(t, s) })
	t.Run("all there is, for a while", func(t *testing.T) { in.pausedAndResumed(t, s) })
}

// terminated proves that a task ends, with everything below it, whose workflow
// somebody terminates in the Web UI, and that the chat is told.
func (in *installation) terminated(t *testing.T, s *stage) {
	in = in.of(t)
	key := in.send("terminated", do(send("sasha", do(send("finn", "wait never")))))
	in.until(key, replies(1))
	s.begun(t, "finn", 1)
	list := in.awaitTasks("terminated", 2)
	top, below := list[1], list[0]
	in.awaitListed(true, string(key), string(top.ID), string(below.ID))
	if err := in.Client.TerminateWorkflow(t.Context(), string(top.ID), "", "enough"); err != nil {
		t.Fatal(err)
	}
	in.awaitListed(false, string(top.ID))
	in.reconcile()
	const why = "its workflow was terminated"
	if got := in.ended(top.ID); got.State != core.Failed || got.Error != why {
		t.Errorf("the task is %s, %q; want it failed, %q", got.State, got.Error, why)
	}
	if nested := in.ended(below.ID); nested.State == core.Completed {
		t.Errorf("what it delegated is %s", nested.State)
	}
	before := s.calls("finn")
	in.passBy("beside the terminated")
	if n := s.calls("finn") - before; n > 0 {
		t.Errorf("%d model calls of finn began after it had been ended", n)
	}
	if texts := textsOf(in.until(key, replies(2))); !strings.Contains(texts[1], why) {
		t.Errorf("the person is told %q; want the reason %q in it", texts[1], why)
	}
}

// killed proves that no model call of a tree begins once CancelTask has
// returned, though all of its agents are at it again and again.
func (in *installation) killed(t *testing.T, s *stage) {
	in = in.of(t)
	note := tool("remember", map[string]string{"key": "k", "value": "v"})
	finns, veras := s.calls("finn"), s.calls("vera")
	key := in.send("killed", do(send("sasha", do(send("finn", "loop"), note)), send("priest", do(send("vera", "loop")))))
	in.until(key, replies(1))
	s.begun(t, "finn", finns+3)
	s.begun(t, "vera", veras+3)
	for _, task := range in.awaitTasks("killed", 4) {
		if task.Parent != "" {
			continue
		}
		if _, err := servicetest.CancelTask(t.Context(), in.Service, owner, task.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	// Each agent takes one step at a time. A call whose first transaction was over
	// may still be on its way here, however long: one of each of the three, so 3.
	before := map[string]int{}
	for _, a := range []string{"finn", "vera", "sasha"} {
		before[a] = s.calls(a)
	}
	in.send("killed", "hello")
	in.until(key, replies(2))
	in.passBy("beside the killed")
	for a, n := range before {
		if flying := s.calls(a) - n; flying > 1 {
			t.Errorf("%d model calls of %s began after the kill", flying, a)
		}
	}
	for _, task := range in.tasks("killed") {
		if task.State != core.Canceled {
			t.Errorf("%s is %s", task.AgentList(), task.State)
		}
	}
}
