package whatsapp_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/whatsapp"
	"errand/notifiers"
	"errand/notifiers/whatsapp"
)

func TestNotifier(t *testing.T) {
	notifiertest.Run(t, func(t *testing.T) (notifiers.Notifier, notifiertest.Judge) {
		r := newRig(t)
		// The suite knows no accounts.
		r.Notifier.Client = func(string) *whatsmeow.Client { return r.clients.Client("main") }
		return hasty{r}, judge{r}
	})
}

// TestMessageID proves that the id of a part says nothing but which it is, and
// looks like one of WhatsApp's own.
func TestMessageID(t *testing.T) {
	form := regexp.MustCompile(`^3EB0[0-9A-F]{18}$`)
	seen := map[string]bool{}
	for _, key := range []string{"k1", "k11", "k", "", strings.Repeat("k", 500)} {
		for part := range 12 {
			id := whatsapp.MessageID(key, part)
			if !form.MatchString(id) || seen[id] || id != whatsapp.MessageID(key, part) {
				t.Errorf("part %d of %.10q is %s", part, key, id)
			}
			seen[id] = true
		}
	}
}

// TestOnce proves that whatever becomes of the answer, the person reads a
// notification once, and nobody marks it as a repeat.
func TestOnce(t *testing.T) {
	for _, fault := range []platform.FaultKind{platform.DropBefore, platform.DropAfter, platform.NoAck} {
		t.Run(string(fault), func(t *testing.T) {
			r := newRig(t)
			r.account.Order(platform.Fault{Kind: fault})
			n := r.note("k", "the train is booked")
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			if fault == platform.NoAck {
				go func() {
					defer giveUp()
					r.server.Wait(ctx, func() bool { return len(r.lines()) > 0 })
				}()
			}
			receipt, err := r.Notify(ctx, n)
			if err != nil { // as the outbox does
				if send := sendError(t, err); send.Outcome != notifiers.Unknown {
					t.Fatal(send)
				}
				if _, ok, err := r.Delivered(t.Context(), n); ok || err != nil {
					t.Fatalf("it may not be sent: %v, %v", ok, err)
				}
				if receipt, err = r.Notify(t.Context(), n); err != nil {
					t.Fatal(err)
				}
			}
			if l := r.reads(n.Text)[0]; l.ID != receipt.IDs[0] || l.ID != whatsapp.MessageID("k", 0) {
				t.Errorf("Ana sees %+v, the receipt is %v", l, receipt)
			}
			if _, err := r.Notify(t.Context(), r.note("k2", "and paid")); err != nil {
				t.Fatal(err)
			}
			r.reads(n.Text, "and paid")
		})
	}
}

// TestFates proves that after each fault what is known is said, with what to do
// about it, and without what was sent.
func TestFates(t *testing.T) {
	const secret = "the words of a person"
	refuse := func(code int) func(*rig, *core.Notification) {
		return func(r *rig, _ *core.Notification) {
			r.account.Order(platform.Fault{Kind: platform.Refuse, Code: code})
		}
	}
	tests := []struct {
		name  string
		doing func(*rig, *core.Notification)
		fate  notifiers.Outcome
		after time.Duration
		text  string
	}{
		{"too many", refuse(429), notifiers.NotSent, time.Minute, "429"},
		{"may not write first", refuse(463), notifiers.Refused, 0, "have to write first"},
		{"not as it should be", refuse(479), notifiers.Refused, 0, "479"},
		{"a fault of theirs", refuse(503), notifiers.Unknown, 0, "503"},
		{"nobody", func(_ *rig, n *core.Notification) { n.Route.Chat = "+49 171 0000000" }, notifiers.Refused, 0, "nobody on WhatsApp"},
		{"removed from the group", func(r *rig, n *core.Notification) {
			group := r.server.AddGroup("Team", r.account.Person, r.ana)
			group.Kick(r.account.Person)
			// What comes behind is handled behind: whatsmeow changes its list of
			// members while others read it.
			if _, err := r.ana.Write(r.t.Context(), r.account.JID(), "they are out"); err != nil {
				r.t.Fatal(err)
			}
			r.until("it was told", func() bool { return r.account.Waiting() == 0 })
			n.Route.Chat = group.JID.String()
		}, notifiers.Refused, 0, "group"},
		{"no such group", func(_ *rig, n *core.Notification) { n.Route.Chat = "120363000@g.us" }, notifiers.Refused, 0, "group"},
		{"no chat", func(_ *rig, n *core.Notification) { n.Route.Chat = "Ana" }, notifiers.Refused, 0, "neither an address nor a phone number"},
		{"no account", func(_ *rig, n *core.Notification) { n.Route.Account = "finn" }, notifiers.NotSent, 5 * time.Second, "held by another worker"},
		{"not held here", func(r *rig, _ *core.Notification) { r.stop() }, notifiers.NotSent, 5 * time.Second, "held by another worker"},
		{"logged out", func(r *rig, _ *core.Notification) {
			r.account.Unlink()
			r.until("it is seen", func() bool { return r.channel.Status().State == "logged out" && r.channel.Status().Link != "" })
		}, notifiers.NotSent, 5 * time.Second, "no phone has linked it"},
		{"unreachable", func(r *rig, _ *core.Notification) {
			r.server.Unreachable()
			r.until("it is seen", func() bool { return r.channel.Status().State == "degraded" })
		}, notifiers.NotSent, 0, "not connected"},
		{"no answer", func(r *rig, _ *core.Notification) {
			// What has to be known first is known by then: it is the message that has no answer.
			if _, err := r.Notify(r.t.Context(), r.note("before", "hello")); err != nil {
				r.t.Fatal(err)
			}
			r.account.Order(platform.Fault{Kind: platform.NoAck})
			r.Timeout = 2 * time.Second
		}, notifiers.Unknown, 0, "in time"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := rigWith(t, whatsapp.Options{Timeout: 20 * time.Second, Patience: 100 * time.Millisecond, Rates: whatsapp.Rates{Chat: 1, All: 1}}, time.Millisecond)
			n := r.note("k", secret)
			tt.doing(r, &n)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // less than "too many" asks for
			defer cancel()
			_, err := r.Notify(ctx, n)
			send := sendError(t, err)
			if send.Outcome != tt.fate || send.RetryAfter != tt.after || !strings.Contains(send.Error(), tt.text) {
				t.Errorf("after %s it is %v, want %s", send.RetryAfter, send, tt.fate)
			}
			if strings.Contains(send.Error(), secret) {
				t.Errorf("the error tells too much: %v", send)
			}
		})
	}
}
