package service_test

import (
	"errors"
	"log/slog"
	"testing"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/dispatch/dispatchtest"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A house is a service with one person of each role, who is called like it.
type house struct {
	*service.Service
	t       testing.TB
	store   *store.Store
	signals *dispatchtest.Client
	now     time.Time
}

func newHouse(t *testing.T, change func(*service.Deps)) *house {
	t.Helper()
	return newHouseOn(t, store.Options{SQLite: storetest.File(t)}, change)
}

func newHouseOn(t testing.TB, on store.Options, change func(*service.Deps)) *house {
	t.Helper()
	h := &house{t: t, now: noon, signals: &dispatchtest.Client{}}
	clock := func() time.Time { return h.now }
	on.Now = clock
	var err error
	if h.store, err = store.Open(t.Context(), on); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.store.Close() })
	storetest.AddEveryRole(t, h.store)
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	deps := service.Deps{Dispatch: dispatchtest.New(t, h.signals, h.store), Store: h.store, Roster: roster, Now: clock, Sticky: true,
		Logger: slog.New(slog.DiscardHandler)}
	if change != nil {
		change(&deps)
	}
	if h.Service, err = service.New(deps); err != nil {
		t.Fatal(err)
	}
	return h
}

func as(role errand.Role) service.Actor {
	return service.Actor{Person: errand.PersonID(role), Role: role}
}

func chatOf(person errand.PersonID) errand.SessionKey {
	return errand.NewSessionKey(errand.WebRoute("main"), person)
}

func (h *house) task(person errand.PersonID) errand.Task {
	h.t.Helper()
	task, err := h.store.CreateTask(h.t.Context(), errand.Origin{Person: person, Role: errand.Member, Depth: 1}, store.NewTask{Agents: []errand.AgentName{"trains"}, Text: "find trains"}, "")
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// session begins one in the chat of a person.
func (h *house) session(person errand.PersonID) errand.SessionID {
	h.t.Helper()
	found, err := h.store.Rehydrate(h.t.Context(), chatOf(person), "nikki")
	if err != nil {
		h.t.Fatal(err)
	}
	return found.Session
}

func isNotFound(err error) bool {
	var no *service.Error
	return errors.As(err, &no) && no.Code == "not_found"
}

func isForbidden(err error) bool {
	var no *service.Error
	return errors.As(err, &no) && no.Code == "forbidden"
}
