package app_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/temporal/devserver"
)

// TestRestart proves what goes on after a restart as if there had been none: a
// conversation that was handed over, a reminder whose time came while nobody was there,
// and, without the database of the embedded server too, conversations, reminders and
// open tasks.
func TestRestart(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	handed := in.send("handed", do(tool("transfer_to_agent", map[string]string{"agent": "sasha"})))
	in.until(handed, replies(2))
	in.send("handed", "one")
	in.until(handed, hasText("you said one"))
	reminded := webKey("reminded")
	r := in.remind(reminded, every(), "drink tea")
	in.stop()
	eventually(t, "the time, while nobody is there", func() bool { return time.Now().After(r.Next) })
	in.start()
	in.send("handed", "two")
	events := in.until(handed, hasText("you said two"))
	if last := events[len(events)-1]; last.Agent != "sasha" {
		t.Errorf("after the restart %s answers", last.Agent)
	}
	if owner, err := in.Store.Person(t.Context(), app.Owner); err != nil || owner.LastAgent != "sasha" {
		t.Errorf("last used is %q, %v", owner.LastAgent, err)
	}
	in.until(reminded, late(1))
	if now := in.reminder(r.ID); now.Times != 1 {
		t.Errorf("it came %d times", now.Times)
	}

	working := in.send("working", do(send("sasha", "wait upgrade")))
	in.until(working, replies(1))
	lost := in.remind(reminded, soon(3*time.Second), "call Ann")
	in.stop()
	if backup, err := devserver.Replace(in.opts.Config.Data); err != nil || backup == "" {
		t.Fatalf("Replace = %q, %v", backup, err)
	}
	s.open("upgrade")
	in.start()
	if got := textsOf(in.until(working, replies(2))); !strings.Contains(got[1], "done upgrade") {
		t.Errorf("the person reads %q", got)
	}
	if list := in.tasks("working"); len(list) != 1 || list[0].State != core.Completed {
		t.Errorf("tasks are %v", list)
	}
	in.reconcile()
	in.until(reminded, late(2))
	if now := in.reminder(lost.ID); now.Times != 1 {
		t.Errorf("the one whose workflow was lost came %d times", now.Times)
	}
}
