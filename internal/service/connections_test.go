package service_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/temporal/reconcile"
	"errand/internal/temporal/wire"
)

// TestConnectionOfAnotherWorker proves that a worker whose errand.yaml has not an
// account ends its connection only when nobody holds it, and has not for a while.
func TestConnectionOfAnotherWorker(t *testing.T) {
	h := newHouse(t, nil)
	account := core.Account{Channel: "telegram", Name: "theirs"}
	hold := func() {
		t.Helper()
		if lasts, err := h.store.Lease(t.Context(), account, "another worker", 10*time.Second); err != nil || lasts == 0 {
			t.Fatal(lasts, err)
		}
	}
	is := func(want bool, why string) {
		t.Helper()
		h.signals.IDs = nil
		if err := h.Internal.EnsureConnections(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, found, err := h.store.Connection(t.Context(), account)
		if err != nil || found != want {
			t.Errorf("%s: found %t, %v", why, found, err)
		}
		if ended := slices.Contains(h.signals.IDs, wire.ConnectionID(account)); ended == want {
			t.Errorf("%s: the workflow is ended: %t", why, ended)
		}
	}
	hold()
	for range 20 {
		h.now = h.now.Add(9 * time.Second)
		hold()
	}
	is(true, "another worker holds it")
	h.now = h.now.Add(69 * time.Second)
	is(true, "another worker may come back")
	h.now = h.now.Add(time.Second)
	is(false, "nobody has held it for a minute")
}

// TestAccountGone proves that an account which no worker has any more is said on
// what waits for it and to the owner, once, on the page and in private; that one
// which another worker holds, or has held a moment ago, is not; and that all of it
// is tried at once when the account is back.
func TestAccountGone(t *testing.T) {
	main, sub := core.Account{Channel: "telegram", Name: "main"}, core.Account{Channel: "telegram", Name: "sub"}
	h := newHouse(t, func(deps *service.Deps) {
		deps.Owner = core.PersonID(core.MasterAdmin)
		deps.Accounts = agents.Accounts{{Account: main}}
	})
	if err := h.store.AddIdentity(t.Context(), core.Identity{Channel: "telegram", ExternalID: "1", Person: h.Owner}); err != nil {
		t.Fatal(err)
	}
	for i, a := range []core.Account{main, sub, sub} {
		n := core.Notification{Key: strconv.Itoa(i), Event: core.EventLate, Text: "two trains", Route: core.Route{Channel: a.Channel, Account: a.Name, Chat: "42"}}
		if _, err := h.store.Answer(t.Context(), n); err != nil {
			t.Fatal(err)
		}
	}
	reconciler := reconcile.Reconciler{Store: h.store, Dispatch: h.Dispatch, Service: h.Internal, Logger: h.Logger}
	waits := func(want int, why string) {
		t.Helper()
		h.now = h.now.Add(time.Second)
		for range 2 {
			if err := reconciler.Once(t.Context(), h.now); err != nil {
				t.Fatal(err)
			}
		}
		list, err := h.store.Deliveries(t.Context(), []core.OutboxState{core.Pending}, store.Page{})
		list = slices.DeleteFunc(list, func(n core.Notification) bool { return !n.AwaitsAccount() })
		if err != nil || len(list) != want {
			t.Errorf("%s: %d wait, %v", why, len(list), err)
		}
	}
	delivered := func() (texts []string) {
		list, err := h.store.Deliveries(t.Context(), nil, store.Page{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			if n.Event == core.EventNotice {
				texts = append(texts, n.Route.Channel+" "+n.Route.Chat+": "+n.Text)
			}
		}
		return texts
	}
	if lasts, err := h.store.Lease(t.Context(), sub, "another", 10*time.Second); err != nil || lasts == 0 {
		t.Fatal(lasts, err)
	}
	waits(0, "another worker has it")
	h.now = h.now.Add(60 * time.Second)
	waits(0, "another worker may come back")
	if len(delivered()) > 0 {
		t.Errorf("the owner is told %q", delivered())
	}
	h.now = h.now.Add(10 * time.Second)
	waits(2, "nobody has it")
	want := "No worker has the account telegram/sub in its errand.yaml, and 2 messages wait for it."
	texts := delivered()
	if len(texts) != 2 || !strings.HasPrefix(texts[0], "telegram 1: "+want) || !strings.HasPrefix(texts[1], "web main: "+want) {
		t.Errorf("the owner is told %q", texts)
	}
	h.signals.IDs = nil
	if err := h.Internal.AccountBack(t.Context(), sub); err != nil || !slices.Equal(h.signals.IDs, []string{"outbox/telegram/sub/42"}) {
		t.Errorf("when it is back, %q are hastened, %v", h.signals.IDs, err)
	}
	list, err := h.store.Deliveries(t.Context(), []core.OutboxState{core.Pending}, store.Page{})
	if err != nil || slices.ContainsFunc(list, core.Notification.AwaitsAccount) {
		t.Errorf("it still waits: %+v, %v", list, err)
	}
}
