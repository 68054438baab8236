package workflows_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/test/workflowtest"
)

// sessionsWith starts tasks, and then does something before whoever delegated them
// hears of it.
type sessionsWith struct {
	activities.Sessions
	then func(context.Context) error
}

func (s sessionsWith) StartTask(ctx context.Context, t core.Task, waited bool) error {
	if err := s.Sessions.StartTask(ctx, t, waited); err != nil {
		return err
	}
	return s.then(ctx)
}

// TestOutcomeBeforeTheStartIsHeardOf proves that a turn which learns of the outcome of
// a task before it learns that the task was started does not wait for it.
func TestOutcomeBeforeTheStartIsHeardOf(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
		ways       []core.Way
	}{
		{"the session waits", do(ask("sasha", "trains")), []string{"you said trains"}, []core.Way{core.WayTurn}},
		{"the session goes on", do(send("sasha", "trains")), []string{"you said trains"}, []core.Way{core.WayTurn}},
		{"a sub-agent waits", do(ask("sasha", do(ask("finn", "trains")))), []string{"you said trains"}, []core.Way{core.WayTurn, core.WayTurn}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var pause func(context.Context, time.Duration) error
			o := workflowtest.Options{Activities: func(d *activities.Deps) {
				d.Sessions = sessionsWith{d.Sessions, func(ctx context.Context) error { return pause(ctx, 5*time.Second) }}
			}}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				pause = in.Stage.Sleep
				in.Send(test.text)
				in.Pass(20 * time.Second) // patience is a minute
				in.Reads(test.want...)
				requireWays(t, in, test.ways...)
			})
		})
	}
}

// TestStartIsTriedAgain proves that a task whose start failed, or was not heard of, is
// started once, and that no model is called again for it.
func TestStartIsTriedAgain(t *testing.T) {
	failures := 3
	o := workflowtest.Options{Activities: func(d *activities.Deps) {
		d.Sessions = sessionsWith{d.Sessions, func(context.Context) error {
			if failures--; failures >= 0 {
				return errors.New("no answer")
			}
			return nil
		}}
	}}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "trains")))
		in.Pass(time.Hour)
		in.Reads("you said trains")
		requireWays(t, in, core.WayTurn)
		if n := len(in.Tasks()); n != 1 {
			t.Errorf("there are %d tasks, want 1", n)
		}
		if spent := in.Tasks()[0].ModelCalls; spent != 1 {
			t.Errorf("%d model calls of the task, want 1", spent)
		}
	})
}

func requireWays(t *testing.T, in *workflowtest.Installation, want ...core.Way) {
	t.Helper()
	var got []core.Way
	for _, task := range in.Tasks() {
		got = append(got, task.Way)
	}
	if !slices.Equal(got, want) {
		t.Errorf("results came back by %q, want %q", got, want)
	}
}
