package gateway_test

import (
	"slices"
	"testing"
	"time"

	"errand"
	"errand/workflows"
)

// TestConnectionOfAnotherWorker proves that a worker whose errand.yaml has not an
// account ends its connection only when nobody holds it, and has not for a while.
func TestConnectionOfAnotherWorker(t *testing.T) {
	d := newDoor(t, nil)
	account := errand.Account{Channel: "telegram", Name: "theirs"}
	hold := func() {
		t.Helper()
		if held, err := d.store.Lease(t.Context(), account, "another worker", 10*time.Second); err != nil || !held {
			t.Fatal(held, err)
		}
	}
	is := func(want bool, why string) {
		t.Helper()
		d.signals.ids = nil
		if err := d.EnsureConnections(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, found, err := d.store.Connection(t.Context(), account)
		if err != nil || found != want {
			t.Errorf("%s: found %t, %v", why, found, err)
		}
		if ended := slices.Contains(d.signals.ids, workflows.ConnectionID(account)); ended == want {
			t.Errorf("%s: the workflow is ended: %t", why, ended)
		}
	}
	hold()
	for range 20 {
		d.now = d.now.Add(9 * time.Second)
		hold()
	}
	is(true, "another worker holds it")
	d.now = d.now.Add(69 * time.Second)
	is(true, "another worker may come back")
	d.now = d.now.Add(time.Second)
	is(false, "nobody has held it for a minute")
}
