package presence

import (
	"errors"
	"slices"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// TestLines proves that what takes long is shown once and then changed, that what
// is quick is not shown, and that of two processes one does it.
func TestLines(t *testing.T) { play(t, testLines) }

func testLines(t *testing.T, r *rig) {
	one, _ := r.run(nil)
	other, _ := r.run(nil)
	long := r.delegate(1, "night trains to Oslo", "a room in Oslo")
	want := "⏳ Sasha: night trains to Oslo\n⏳ Sasha: a room in Oslo"
	r.until("it is shown", func() bool { return slices.Equal(r.platform.texts(), []string{want}) })
	if to := saw(r.platform, func(p *platform) core.Route { return p.shown[0] }); to != r.route {
		t.Errorf("it is shown in %+v", to)
	}
	// The one that came second looks again, and would show what it sees then.
	r.until("nothing is due", func() bool { return one.progress.count()+other.progress.count() == 0 })
	r.finish(long[0], core.Completed)
	time.Sleep(settle / 2)
	r.finish(long[1], core.Failed)
	want = "✔ Sasha: night trains to Oslo\n✖ Sasha: a room in Oslo"
	if task, err := r.store.Task(t.Context(), long[0]); err != nil || task.State != core.Completed {
		want = "✖ Sasha: night trains to Oslo\n✖ Sasha: a room in Oslo" // without a report it has failed
	}
	r.until("its end is shown", func() bool { return slices.Equal(r.platform.texts(), []string{want}) })
	r.until("it is over", func() bool {
		turns, err := r.store.ProgressTurns(t.Context(), r.session)
		return err == nil && len(turns) == 0
	})
	if edits := saw(r.platform, func(p *platform) int { return p.edits }); edits != 1 {
		t.Errorf("two changes one after the other are %d edits", edits)
	}
}

// TestQuickTasks proves that a task that ends soon is not shown, and that one that
// does not is no sooner.
func TestQuickTasks(t *testing.T) { play(t, testQuickTasks) }

func testQuickTasks(t *testing.T, r *rig) {
	p, _ := r.run(func(o *Options) { o.ShowAfter = 150 * time.Millisecond })
	quick := r.delegate(1, "what day it is")
	r.finish(quick[0], core.Completed)
	r.delegate(2, "night trains to Oslo")
	begun := time.Now()
	r.until("the long one is shown", func() bool { return len(r.platform.texts()) > 0 })
	if took := time.Since(begun); took < p.ShowAfter {
		t.Errorf("it is shown after %s", took)
	}
	r.until("nothing is due", func() bool { return p.progress.count() == 0 })
	if got := r.platform.texts(); !slices.Equal(got, []string{"⏳ Sasha: night trains to Oslo"}) {
		t.Errorf("it shows %q", got)
	}
}

// TestAfterARestart proves that another process changes the message that is
// there, also when what changed was told to nobody.
func TestAfterARestart(t *testing.T) { play(t, testAfterARestart) }

func testAfterARestart(t *testing.T, r *rig) {
	_, stop := r.run(nil)
	id := r.delegate(1, "night trains to Oslo")[0]
	r.until("it is shown", func() bool { return len(r.platform.texts()) == 1 })
	stop()
	p, stop := r.run(nil) // nothing has changed meanwhile
	r.until("it is looked after", func() bool {
		wait, err := p.progress.show(t.Context(), turn{r.session, 1})
		return wait == 0 && err == nil
	})
	stop()
	if edits := saw(r.platform, func(p *platform) int { return p.edits }); edits != 0 {
		t.Errorf("no change is %d edits", edits)
	}
	r.finish(id, core.Canceled)
	r.run(nil)
	r.until("its end is shown", func() bool {
		return slices.Equal(r.platform.texts(), []string{"✖ Sasha: night trains to Oslo"})
	})
}

// TestLineFailures proves that what was not sent is sent later, and that nothing
// is sent again that may be there.
func TestLineFailures(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"not sent", &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: time.Millisecond, Err: errors.New("too many")}, 1},
		{"refused", &notifiers.SendError{Outcome: notifiers.Refused, Err: errors.New("blocked")}, 0},
		{"in doubt", errors.New("broke off"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			play(t, func(t *testing.T, r *rig) {
				r.platform.fail = tt.err
				p, stop := r.run(nil)
				id := r.delegate(1, "night trains to Oslo")[0]
				r.until("it was tried", func() bool { return saw(r.platform, func(p *platform) bool { return p.fail == nil }) })
				if tt.want > 0 {
					r.until("it is shown", func() bool { return len(r.platform.texts()) == tt.want })
				}
				r.finish(id, core.Canceled)
				r.until("nothing is due", func() bool { return p.progress.count() == 0 })
				stop()
				if got := r.platform.texts(); len(got) != tt.want {
					t.Errorf("it shows %q", got)
				}
			})
		})
	}
}

// TestEarlierThanDue proves that what changes is shown soon, though it was only for
// much later that the session was to be looked after.
func TestEarlierThanDue(t *testing.T) { play(t, testEarlierThanDue) }

func testEarlierThanDue(t *testing.T, r *rig) {
	r.platform.fail = &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: time.Hour, Err: errors.New("too many")}
	p, _ := r.run(nil)
	r.delegate(1, "night trains to Oslo")
	r.until("it is due in an hour", func() bool {
		p.progress.mu.Lock()
		defer p.progress.mu.Unlock()
		d := p.progress.due[r.session]
		return d != nil && time.Until(d.at) > time.Minute
	})
	r.delegate(2, "a room in Oslo")
	r.until("both are shown", func() bool {
		return slices.Equal(r.platform.texts(), []string{"⏳ Sasha: night trains to Oslo", "⏳ Sasha: a room in Oslo"})
	})
}

// count is how many sessions are due to be looked after, or being.
func (l *progress) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.due) + len(l.slots)
}

// TestPlanShown proves that a chat on a platform shows how far a sub-agent's plan is, and
// no more of it once the task has ended.
func TestPlanShown(t *testing.T) { play(t, testPlanShown) }

func testPlanShown(t *testing.T, r *rig) {
	r.run(nil)
	id := r.delegate(1, "night trains to Oslo")[0]
	r.until("it is shown", func() bool { return len(r.platform.texts()) == 1 })
	key := core.StepKey{Owner: core.SubAgentOwner(id, "sasha"), Turn: 1, Step: 1}
	b, err := r.store.BeginStep(t.Context(), store.BeginStep{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(store.CommitStep{Step: b, Calls: []core.ToolCall{{ID: "c1", Name: "plan"}}, Planned: []store.PlannedCall{{By: store.ByActivity, Tool: "plan"}}})
	call, err := r.store.Call(t.Context(), core.CallKey{StepKey: key, Index: 1})
	if err != nil {
		t.Fatal(err)
	}
	items := []core.PlanItem{{Text: "search", State: core.PlanDone}, {Text: "read", State: core.PlanDoing}}
	if err := r.store.SavePlan(t.Context(), call, items); err != nil {
		t.Fatal(err)
	}
	r.until("the plan is shown", func() bool {
		return slices.Equal(r.platform.texts(), []string{"⏳ Sasha: night trains to Oslo\n    1/2: read"})
	})
	r.finish(id, core.Canceled)
	r.until("its end is shown", func() bool { return slices.Equal(r.platform.texts(), []string{"✖ Sasha: night trains to Oslo"}) })
}
