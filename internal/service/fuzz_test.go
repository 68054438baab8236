package service_test

import (
	"errors"
	"slices"
	"testing"

	"errand/api"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// FuzzNamed proves that whatever a program names, as the chat in which a result is told or as
// a place in a list, is one of its person's or is refused, and breaks nothing.
func FuzzNamed(f *testing.F) {
	h := newHouseOn(f, store.Options{SQLite: storetest.File(f)}, func(deps *service.Deps) {
		deps.Accounts = agents.Accounts{{Account: core.Account{Channel: "telegram", Name: "main"}}, {Account: core.Account{Channel: "telegram", Name: "finn"}, Agent: "finn"}}
	})
	for person, chat := range map[core.PersonID]string{"member": "7", "partner": "8"} {
		if _, err := h.store.Rehydrate(f.Context(), core.NewSessionKey(core.Route{Channel: "telegram", Account: "main", Chat: chat}, person), "nikki"); err != nil {
			f.Fatal(err)
		}
	}
	for _, to := range []string{"telegram/main/7", "telegram/main/8", "telegram", "finn", "web/desk", "web/", "5f", "telegram/main/7/1/2", "%2f\x00", "..", "web/a b"} {
		f.Add(to, service.Cursor("listTasks", service.Position{"7", "t-1"}))
		f.Add(to, "W10")
		f.Add(to, "")
	}
	by := as(core.Member)
	f.Fuzz(func(t *testing.T, to, cursor string) {
		var known *service.Error
		task, err := h.CreateTask(t.Context(), by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"finn"}, Text: "x", DeliverTo: to}})
		switch {
		case err != nil && !errors.As(err, &known):
			t.Fatalf("%q: the error is %v", to, err)
		case err == nil && (task.Origin.Person != by.Person || task.Origin.Chat == "8"):
			t.Fatalf("%q is told in %v of %s", to, task.Origin.Route, task.Origin.Person)
		}
		at, err := service.ParseCursor("listTasks", cursor)
		if err == nil {
			if again, err := service.ParseCursor("listTasks", service.Cursor("listTasks", at)); err != nil || !slices.Equal(again, at) {
				t.Fatalf("%q is %q, and then %q, %v", cursor, at, again, err)
			}
			err = do(t.Context(), h, api.ListTasks, by, api.ListTasksInput{After: api.After{After: cursor}, Limit: 2})
		}
		if err != nil && !errors.As(err, &known) {
			t.Fatalf("%q: the error is %v", cursor, err)
		}
	})
}
