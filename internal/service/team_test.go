package service_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
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
		in := api.AskTeamInput{Targets: []api.TeamTarget{{Agent: "finn", Auto: true}}, TeamRequest: api.TeamRequest{
			ConversationKey: api.ConversationKey{Key: chatOf("member")}, Route: core.WebRoute("main"), MessageID: id, Said: said, Text: "implement this"}}
		asked, err := ops.Do(t.Context(), h.Runner, api.AskTeam, actor.Actor{Person: "member", Role: core.Member, Name: "Mia"}, in)
		if err != nil || len(asked.Tasks) != 1 {
			t.Fatalf("%+v, %v", asked, err)
		}
		run(`ALTER TABLE hidden RENAME TO words`)
		defer run(`ALTER TABLE words RENAME TO hidden`)
		b, err := h.store.BeginStep(t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SubAgentOwner(asked.Tasks[0].ID, "finn"), Turn: 1, Step: 1}})
		if err != nil {
			t.Fatal(err)
		}
		return core.Unmarked(b.Transcript[0].Text)
	}
	if got := ask("1", ""); !strings.HasSuffix(got, "implement this\n[the context is missing: the messages of the conversation could not be read. If you need them, say so]") {
		t.Errorf("Finn is given %q", got)
	}
	got := ask("2", strings.Repeat("x", 1500))
	if !strings.Contains(got, "Mia: "+strings.Repeat("x", 999)+"…\n  [cut: 501 characters more]\n") || !strings.Contains(got, "[context: what the user wrote with the task. The messages of that conversation could not be read") {
		t.Errorf("Finn is given %q", got)
	}
}

// TestTeamRefusedInPart proves that the answer has the tasks that were created before a refusal, and
// the refusal.
func TestTeamRefusedInPart(t *testing.T) {
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Limits: store.Limits{OpenTasks: 1}}, nil)
	in := api.AskTeamInput{Targets: []api.TeamTarget{{Agent: "finn"}, {Agent: "sasha"}}, TeamRequest: api.TeamRequest{
		ConversationKey: api.ConversationKey{Key: chatOf("member")}, Route: core.WebRoute("main"), MessageID: "1", Text: "look"}}
	asked := servicetest.Must(ops.Do(t.Context(), h.Runner, api.AskTeam, as(core.Member), in))(t)
	require.Len(t, asked.Tasks, 1)
	servicetest.WantRefusal(t, asked.Refused, service.KindTooMany, "Too many tasks are running.")
}
