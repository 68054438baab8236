package intake_test

import (
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestWroteBefore proves what of a stranger's words is answered once they are let
// in: what they said, but no commands, nothing of a group and nothing taken back,
// also when whoever let them in died then.
func TestWroteBefore(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	d.knock("/start", "1")
	d.knock("/pair", "1")
	code := d.knock("which trains go to Oslo?", "1").Code
	back := d.inbound("never mind", "1")
	servicetest.Must(d.Receive(ctx, back))(t)
	back.Deleted, back.Text = true, ""
	servicetest.Must(d.Receive(ctx, back))(t)
	if _, _, err := d.store.Approve(ctx, store.ApprovePairing{Code: code, By: "owner", Role: core.Member}); err != nil {
		t.Fatal(err)
	}
	if n := d.unclaimed(); n != 0 {
		t.Errorf("%d conversations before the watchdog", n)
	}
	if err := d.reconcile(); err != nil {
		t.Fatal(err)
	}
	if n := d.unclaimed(); n != 1 {
		t.Errorf("%d conversations after it", n)
	}
	var key core.SessionKey
	for w, err := range d.store.WaitingSessions(ctx, d.now.Add(time.Second)) {
		key = servicetest.Must(w, err)(t).Key
	}
	events := servicetest.Must(d.store.Events(ctx, key, 0, 10))(t)
	if len(events) != 1 || events[0].Text != "which trains go to Oslo?" {
		t.Errorf("there is to answer %+v", events)
	}
}
