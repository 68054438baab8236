package activities

import (
	"context"
	"reflect"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/storetest"
)

// A waker notes which chats are to be told things later, which tasks are started and
// which have ended.
type waker struct {
	Sessions
	woken, started, finished []string
}

func (w *waker) StartTask(_ context.Context, t core.Task, _ bool) error {
	w.started = append(w.started, string(t.ID))
	return nil
}

func (w *waker) TaskFinished(_ context.Context, t core.Task) error {
	w.finished = append(w.finished, string(t.ID))
	return nil
}

func (*waker) ShowTaskState(context.Context, core.TaskID) error { return nil }

func (*waker) StartWebhooks(context.Context, core.Task) error { return nil }

func (w *waker) WakeOutbox(_ context.Context, r core.Route) error {
	w.woken = append(w.woken, r.At().String())
	return nil
}

func opened(t *testing.T) *store.Store { return openedWith(t, store.Limits{}) }

func openedWith(t *testing.T, limits store.Limits) *store.Store {
	t.Helper()
	return openedOn(t, storetest.File(t), limits)
}

func openedOn(t *testing.T, file string, limits store.Limits) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{SQLite: file, Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestNotifyDown proves that a turn does not wait for an account that is not
// connected: nothing is sent on it, and it is left to the chat's Outbox.
func TestNotifyDown(t *testing.T) {
	s := opened(t)
	c, w := &crowd{down: map[string]bool{"finn": true}}, new(waker)
	deps := talkers(t, c)
	deps.Store, deps.Sessions = s, w
	a := sending(deps)
	var rows []int64
	for _, account := range []string{"main", "finn"} {
		n := core.Notification{Key: account, Event: core.EventNotice, Text: "hello", Route: core.Route{Channel: "telegram", Account: account, Chat: "c"}}
		if _, err := s.Answer(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		next, err := s.NextOutbox(t.Context(), n.Route)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, next.ID)
	}
	if err := a.Notify(t.Context(), wire.NotifyInput{Store: s.ID(), Rows: rows}); err != nil {
		t.Fatal(err)
	}
	if want := []string{"main/c: hello [main ]"}; !reflect.DeepEqual(c.sent, want) {
		t.Errorf("told %q, want %q", c.sent, want)
	}
	if want := []string{"telegram/finn"}; !reflect.DeepEqual(w.woken, want) {
		t.Errorf("left to the outbox: %q, want %q", w.woken, want)
	}
}
