package intake_test

import (
	"database/sql"
	"testing"

	"errand/internal/core"
	"errand/internal/test/intaketest"
)

// TestCommandInSharedChat proves that a command that was given where people share
// a session is noted in the conversation that they share, with who gave it.
func TestCommandInSharedChat(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Shared = func(core.Route) bool { return true } })
	in := d.with("/language es")
	in.Group = true
	for range 2 {
		if out, err := d.Receive(t.Context(), in); err != nil || out.Answer == "" {
			t.Fatalf("Receive: %+v, %v", out, err)
		}
	}
	db, err := sql.Open("sqlite", d.path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows int
	var key, person string
	if err := db.QueryRow(`SELECT COUNT(*), MAX(session_key), MAX(person) FROM inbox`).Scan(&rows, &key, &person); err != nil {
		t.Fatal(err)
	}
	if want := core.NewSessionKey(in.Route, core.Everyone); rows != 1 || key != string(want) || person != "member" {
		t.Errorf("it is noted %d times, in %s, as given by %q", rows, key, person)
	}
}
