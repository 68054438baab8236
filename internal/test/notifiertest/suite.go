package notifiertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/notifiers"
)

// Run holds a notifier against the promises of [notifiers.Notifier]. open
// returns a fresh notifier and the platform behind it.
//
// An outcome may be less certain than what happened: a platform whose 500 may come
// from whatever stands in front of it leaves a message in doubt. It may never be
// more certain.
func Run(t *testing.T, open func(t *testing.T) (notifiers.Notifier, Judge)) {
	note := func(p Judge, key, text string) core.Notification {
		return core.Notification{Key: key, Route: core.Route{Channel: "test", Chat: p.Chat()}, Text: text}
	}
	t.Run("a notification arrives once and leaves a receipt", func(t *testing.T) {
		n, p := open(t)
		r, err := n.Notify(t.Context(), note(p, "k1", "hello"))
		if err != nil || len(r.IDs) == 0 {
			t.Fatalf("Notify = %v, %v; want a receipt", r, err)
		}
		if got := p.Messages(); len(got) != 1 || got[0].Text != "hello" {
			t.Errorf("the person sees %v", got)
		}
	})
	t.Run("the same key is shown once where the platform can tell", func(t *testing.T) {
		n, p := open(t)
		for range 3 {
			if _, err := n.Notify(t.Context(), note(p, "k1", "hello")); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Messages(); p.ShowsOnce() && len(got) != 1 {
			t.Errorf("the person sees %v", got)
		}
	})
	faults := []struct {
		fault Fault
		want  []notifiers.Outcome
	}{
		{Refuse, []notifiers.Outcome{notifiers.Refused}},
		{Busy, []notifiers.Outcome{notifiers.NotSent}},
		{Broken, []notifiers.Outcome{notifiers.NotSent, notifiers.Unknown}},
		{DieBefore, []notifiers.Outcome{notifiers.Unknown}},
		{DieAfter, []notifiers.Outcome{notifiers.Unknown}},
	}
	for _, f := range faults {
		t.Run("the outcome after "+string(f.fault)+" is known", func(t *testing.T) {
			n, p := open(t)
			p.Order(f.fault)
			_, err := n.Notify(t.Context(), note(p, "k1", "hello"))
			var send *notifiers.SendError
			if !errors.As(err, &send) || !slices.Contains(f.want, send.Outcome) {
				t.Fatalf("Notify = %v; want a SendError with outcome %v", err, f.want)
			}
			if f.fault == Busy && send.RetryAfter == 0 {
				t.Error("the platform's Retry-After is lost")
			}
		})
	}
	t.Run("a long text is sent as a whole or, where there is no time for that, not at all", func(t *testing.T) {
		n, p := open(t)
		long := note(p, "k1", strings.Repeat("a line of a text that is long\n", 4500))
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		defer cancel()
		_, err := n.Notify(ctx, long)
		var send *notifiers.SendError
		switch got := p.Messages(); {
		case err == nil && len(got) != 1: // who has time for one has none for several
			t.Errorf("the person sees %d parts", len(got))
		case err != nil && (!errors.As(err, &send) || send.Outcome != notifiers.NotSent || len(got) > 0):
			t.Errorf("Notify = %v, and the person sees %d parts", err, len(got))
		}
	})
	t.Run("what arrived in spite of an error can be read back", func(t *testing.T) {
		n, p := open(t)
		c, ok := n.(notifiers.Checker)
		if !ok {
			t.Skip("the platform cannot tell")
		}
		p.Order(DieAfter)
		if _, err := n.Notify(t.Context(), note(p, "k1", "hello")); err == nil {
			t.Fatal("the fault was not met")
		}
		r, ok, err := c.Delivered(t.Context(), note(p, "k1", "hello"))
		if errors.Is(err, notifiers.ErrCannotCheck) {
			t.Skip("the platform cannot tell")
		}
		if err == nil && !ok && p.ShowsOnce() { // then it may be sent again
			if r, err = n.Notify(t.Context(), note(p, "k1", "hello")); err == nil {
				ok = len(p.Messages()) == 1
			}
		}
		if err != nil || !ok || len(r.IDs) == 0 {
			t.Errorf("Delivered = %v, %v, %v", r, ok, err)
		}
		if _, ok, err := c.Delivered(t.Context(), note(p, "k2", "")); err != nil || ok {
			t.Errorf("Delivered of what was never sent = %v, %v", ok, err)
		}
	})
}
