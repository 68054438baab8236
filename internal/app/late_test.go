package app_test

import (
	"fmt"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/workflows"
)

// TestContinuedSession proves that a session loses nothing when its workflow
// begins a new run after every turn.
func TestContinuedSession(t *testing.T) {
	t.Parallel()
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
