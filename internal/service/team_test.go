package service_test

import (
	"database/sql"
	"strings"
	"testing"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// TestTeamWithoutContext proves that agents are asked although the messages that were to go
// along cannot be read, and are told that they are missing; and that a message which is too
// long goes along cut, and marked.
func TestTeamWithoutContext(t *testing.T) {
	path := storetest.File(t)
	h := newHouseOn(t, store.Options{SQLite: path}, nil)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	run := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(id, said string) string {
		t.Helper()
		run(`ALTER TABLE words RENAME TO hidden`)
		defer run(`ALTER TABLE hidden RENAME TO words`)
		tasks, err := h.AskTeam(t.Context(), service.Actor{Person: "member", Role: errand.Member, Name: "Mia"}, service.TeamRequest{
			Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: "member", MessageID: id}, Said: said, Text: "implement this",
			Targets: []service.TeamTarget{{Agent: "finn", Auto: true}}})
		if err != nil || len(tasks) != 1 {
			t.Fatalf("%+v, %v", tasks, err)
		}
		run(`ALTER TABLE hidden RENAME TO words`)
		defer run(`ALTER TABLE words RENAME TO hidden`)
		b, err := h.store.BeginStep(t.Context(), store.BeginStep{Key: errand.StepKey{Owner: errand.SubAgentOwner(tasks[0].ID, "finn"), Turn: 1, Step: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return errand.Unmarked(b.Transcript[0].Text)
	}
	if got := ask("1", ""); !strings.HasSuffix(got, "implement this\n[context is missing: the messages of that conversation could not be read. If you need them, say so]") {
		t.Errorf("Finn is given %q", got)
	}
	got := ask("2", strings.Repeat("x", 1500))
	if !strings.Contains(got, "Mia: "+strings.Repeat("x", 999)+"…\n  [cut: 501 characters more]\n") || !strings.Contains(got, "[context: what the person wrote with the task. More is missing") {
		t.Errorf("Finn is given %q", got)
	}
}
