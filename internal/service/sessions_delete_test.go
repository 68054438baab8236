package service_test

import (
	"errors"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/texts"
)

// TestOpenTasksOfASession proves that a session at work is kept, and that a person reads
// in their language how many tasks are.
func TestOpenTasksOfASession(t *testing.T) {
	h := newHouse(t, nil)
	catalog := servicetest.Must(texts.New(nil))(t)
	id := h.session("member")
	for _, want := range []map[string]string{
		{"en": "a task is running: ", "es": "hay una tarea en curso: "},
		{"en": "2 tasks are running: ", "es": "hay 2 tareas en curso: "},
	} {
		servicetest.Must(h.store.CreateTask(t.Context(), core.Origin{Route: core.WebRoute("main"), Person: "member", Role: core.Member, Session: id, SessionKey: chatOf("member"), Depth: 1},
			store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "trains"}, ""))(t)
		_, err := servicetest.DeleteSession(t.Context(), h.Service, as(core.Member), id, false)
		var refusal *service.Error
		if !errors.As(err, &refusal) || refusal.Code != "open_tasks" {
			t.Fatalf("the error is %v", err)
		}
		for language, text := range want {
			if got := refusal.Text(catalog.For(language)); !strings.Contains(got, text) {
				t.Errorf("in %s a person reads %q, want %q", language, got, text)
			}
		}
	}
}
