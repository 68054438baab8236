package activities

import (
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestBeginWith proves whom a new session begins with: the primary agent, or, where
// that is asked for, whom its person talked with last, as long as they may.
func TestBeginWith(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	deps := talkers(t, &crowd{})
	deps.Store, deps.Rights, deps.Sticky = s, rights.New(), true
	if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", core.Partner); err != nil {
		t.Fatal(err)
	}
	key := core.NewSessionKey(core.WebRoute("main"), "ada")
	begins := func(key core.SessionKey, want core.AgentName) {
		t.Helper()
		a := assemble(deps)
		if agent, err := a.beginWith(t.Context(), key); err != nil || agent != want {
			t.Errorf("it begins with %q (%v), want %q", agent, err, want)
		}
	}
	deps.BeginWithLast = true
	begins(key, "nikki") // with whom else?
	if err := s.HandOver(t.Context(), key, "finn", time.Hour); err != nil {
		t.Fatal(err)
	}
	begins(key, "finn")
	begins(core.NewSessionKey(core.WebRoute("main"), core.Everyone), "nikki")
	begins(core.NewSessionKey(core.WebRoute("main"), "bob"), "nikki")
	deps.Sticky = false
	begins(key, "nikki") // who no conversation is handed over to
	deps.Sticky, deps.BeginWithLast = true, false
	begins(key, "nikki")
}
