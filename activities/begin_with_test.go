package activities

import (
	"testing"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// TestBeginWith proves whom a new session begins with: the primary agent, or, where
// that is asked for, whom its person talked with last, as long as they may.
func TestBeginWith(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	a := talkers(t, &crowd{})
	a.Store, a.Rights, a.Sticky = s, rights.Default(), true
	if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", errand.Partner); err != nil {
		t.Fatal(err)
	}
	key := errand.NewSessionKey(errand.WebRoute("main"), "ada")
	begins := func(key errand.SessionKey, want errand.AgentName) {
		t.Helper()
		if agent, err := a.beginWith(t.Context(), key); err != nil || agent != want {
			t.Errorf("it begins with %q (%v), want %q", agent, err, want)
		}
	}
	a.BeginWithLast = true
	begins(key, "nikki") // with whom else?
	if err := s.HandOver(t.Context(), key, "finn", time.Hour); err != nil {
		t.Fatal(err)
	}
	begins(key, "finn")
	begins(errand.NewSessionKey(errand.WebRoute("main"), errand.Everyone), "nikki")
	begins(errand.NewSessionKey(errand.WebRoute("main"), "bob"), "nikki")
	a.Sticky = false
	begins(key, "nikki") // who no conversation is handed over to
	a.Sticky, a.BeginWithLast = true, false
	begins(key, "nikki")
}
