package notifiertest

import (
	"errors"
	"testing"

	"errand"
	"errand/notifiers"
)

// Run holds a notifier against the promises of [notifiers.Notifier]. open
// returns a fresh notifier and the platform behind it.
func Run(t *testing.T, open func(t *testing.T) (notifiers.Notifier, *Platform)) {
	note := func(key, text string) errand.Notification {
		return errand.Notification{Key: key, Route: errand.Route{Channel: "test", Chat: "c1"}, Text: text}
	}
	t.Run("a notification arrives once and leaves a receipt", func(t *testing.T) {
		n, p := open(t)
		r, err := n.Notify(t.Context(), note("k1", "hello"))
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
			if _, err := n.Notify(t.Context(), note("k1", "hello")); err != nil {
				t.Fatal(err)
			}
		}
		if got := p.Messages(); p.Dedupe && len(got) != 1 {
			t.Errorf("the person sees %v", got)
		}
	})
	faults := []struct {
		fault Fault
		want  notifiers.Fate
	}{
		{Refuse, notifiers.Refused}, {Busy, notifiers.NotSent}, {Broken, notifiers.NotSent},
		{DieBefore, notifiers.Doubt}, {DieAfter, notifiers.Doubt},
	}
	for _, f := range faults {
		t.Run("the fate after "+string(f.fault)+" is known", func(t *testing.T) {
			n, p := open(t)
			p.Order(f.fault)
			_, err := n.Notify(t.Context(), note("k1", "hello"))
			var send *notifiers.SendError
			if !errors.As(err, &send) || send.Fate != f.want {
				t.Fatalf("Notify = %v; want a SendError with fate %q", err, f.want)
			}
			if f.fault == Busy && send.RetryAfter == 0 {
				t.Error("the platform's Retry-After is lost")
			}
		})
	}
	t.Run("what arrived in spite of an error can be read back", func(t *testing.T) {
		n, p := open(t)
		c, ok := n.(notifiers.Checker)
		if !ok {
			t.Skip("the platform cannot tell")
		}
		p.Order(DieAfter)
		if _, err := n.Notify(t.Context(), note("k1", "hello")); err == nil {
			t.Fatal("the fault was not met")
		}
		if r, ok, err := c.Delivered(t.Context(), note("k1", "hello")); err != nil || !ok || len(r.IDs) == 0 {
			t.Errorf("Delivered = %v, %v, %v", r, ok, err)
		}
		if _, ok, err := c.Delivered(t.Context(), note("k2", "")); err != nil || ok {
			t.Errorf("Delivered of what was never sent = %v, %v", ok, err)
		}
	})
}
