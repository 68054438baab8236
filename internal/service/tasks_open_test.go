package service_test

import (
	"errors"
	"testing"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// TestTooManyOpenTasks proves that each way to ask for a task refuses one more than a person may
// have open, in one sentence and as what may be tried again.
func TestTooManyOpenTasks(t *testing.T) {
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Limits: store.Limits{OpenTasks: 1}}, func(d *service.Deps) {
		d.Procedures = []errand.Procedure{{Name: "look", Agents: []errand.AgentName{"sasha"}, Task: "look"}}
	})
	create := func() errand.Task {
		task, err := h.store.CreateTask(t.Context(), errand.Origin{Person: "member", Role: errand.Member, Depth: 1}, store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "find trains"}, "")
		if err != nil {
			t.Fatal(err)
		}
		return task
	}
	old := create()
	if _, _, err := h.store.FinishTask(t.Context(), old.ID, errand.Failed, "no trains"); err != nil {
		t.Fatal(err)
	}
	create()
	request := service.TeamRequest{Message: store.InboxMessage{Route: errand.WebRoute("main"), Person: "member", MessageID: "1"}, Text: "look",
		Targets: []service.TeamTarget{{Agent: "sasha"}}}
	for name, ask := range map[string]func() error{
		"delegate": func() error {
			_, err := h.Delegate(t.Context(), as(errand.Member), service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "find trains"})
			return err
		},
		"procedure": func() error {
			_, err := h.Delegate(t.Context(), as(errand.Member), service.Delegation{Procedure: "look"})
			return err
		},
		"team": func() error { _, err := h.AskTeam(t.Context(), as(errand.Member), request); return err },
		"continue": func() error {
			_, err := h.ContinueTask(t.Context(), as(errand.Member), old.ID, service.Steering{Text: "and back", Route: errand.WebRoute("main")})
			return err
		},
	} {
		var no *service.Error
		if err := ask(); !errors.As(err, &no) || no.Kind != service.KindTooMany || no.Message != "Too many tasks are running." {
			t.Errorf("%s: %v", name, err)
		}
	}
}
