package service_test

import (
	"errors"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestTooManyOpenTasks proves that each way to ask for a task refuses one more than a person may
// have open, in one sentence and as what may be tried again.
func TestTooManyOpenTasks(t *testing.T) {
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Limits: store.Limits{OpenTasks: 1}}, func(d *service.Deps) {
		d.Procedures = []core.Procedure{{Name: "look", Agents: []core.AgentName{"sasha"}, Task: "look"}}
	})
	create := func() core.Task {
		task, err := h.store.CreateTask(t.Context(), core.Origin{Person: "member", Role: core.Member, Depth: 1}, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"}, "")
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	old := create()
	if _, _, err := h.store.FinishTask(t.Context(), old.ID, core.Failed, "no trains"); err != nil {
		t.Fatal(err)
	}
	create()
	request := api.AskTeamInput{Targets: []api.TeamTarget{{Agent: "sasha"}}, TeamRequest: api.TeamRequest{
		ConversationKey: api.ConversationKey{Key: chatOf("member")}, Route: core.WebRoute("main"), MessageID: "1", Text: "look"}}
	for name, ask := range map[string]func() error{
		"delegate": func() error {
			_, err := h.CreateTask(t.Context(), as(core.Member), api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"}})
			return err
		},
		"procedure": func() error {
			_, err := h.CreateTask(t.Context(), as(core.Member), api.CreateTaskInput{Body: api.NewTask{Procedure: "look"}})
			return err
		},
		"team": func() error { return do(t.Context(), h, api.AskTeam, as(core.Member), request) },
		"continue": func() error {
			_, err := h.ContinueTask(t.Context(), as(core.Member), old.ID, "and back", api.ContinueTaskInput{Route: core.WebRoute("main")})
			return err
		},
	} {
		var no *service.Error
		if err := ask(); !errors.As(err, &no) || no.Kind != service.KindTooMany || no.Message != "Too many tasks are running." {
			t.Errorf("%s: %v", name, err)
		}
	}
}
