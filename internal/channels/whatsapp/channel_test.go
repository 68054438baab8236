package whatsapp_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/channels"
	"errand/internal/channels/whatsapp"
	"errand/internal/intake"
	"errand/internal/service"
	platform "errand/internal/test/sim/whatsapp"
)

// TestOnePerson proves that whichever of somebody's addresses WhatsApp shows, and
// in which order they become known, it is one person in one chat with one
// session, and that a list of phone numbers lets them in.
func TestOnePerson(t *testing.T) {
	all := []platform.Addressing{platform.ByLID, platform.ByPhone, platform.ByPhoneOnly, platform.ByLIDOnly}
	tests := []struct {
		name   string
		access service.AccessMode
		shown  []platform.Addressing
		chat   string // empty: by the LID
	}{
		{"open", service.AccessOpen, all, anasChat},
		{"on the list", service.AccessAllowlist, all, anasChat},
		{"the number becomes known later", service.AccessOpen, []platform.Addressing{platform.ByLIDOnly, platform.ByLID, platform.ByLIDOnly, platform.ByPhone}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.access)
			r.connect()
			if tt.chat == "" {
				tt.chat = r.ana.LID().String()
			}
			var want []string
			for i, a := range tt.shown {
				r.ana.ShowAs(a)
				want = append(want, fmt.Sprint("hello ", i))
				r.write(r.ana, r.account.JID(), want[i])
				r.accepted(i + 1)
			}
			got := r.gate.Outcomes()
			for i := range got {
				if got[i].Person == "" || got[i].Person != got[0].Person {
					t.Errorf("message %d is by %q, the first by %q: %+v", i, got[i].Person, got[0].Person, got[i])
				}
			}
			if in := r.inbox(tt.chat, got[0].Person); !slices.Equal(in, want) {
				t.Errorf("the session has %q: %+v", in, r.gate.Arrivals())
			}
		})
	}
}

// TestNothingIsLost proves that while errand cannot take messages in they stay
// with WhatsApp, and are taken in order later, those from while it was away too.
func TestNothingIsLost(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.write(r.ana, r.account.JID(), "message 0")
	r.gate.Fail(errors.New("the disk is full"))
	c := r.start()
	for i := 1; i < 4; i++ {
		r.write(r.ana, r.account.JID(), fmt.Sprint("message ", i))
	}
	logins := r.account.Logins()
	r.until("it tries again and again", func() bool { return r.account.Logins() > logins+3 })
	if n := r.account.Waiting(); n != 4 {
		t.Fatalf("%d of 4 are left", n)
	}
	r.gate.Fail(nil)
	r.accepted(4)
	if got := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(got, []string{"message 0", "message 1", "message 2", "message 3"}) {
		t.Errorf("the session has %q", got)
	}
	if n := strings.Count(r.gate.Log(), `msg="not connected"`); n != 1 {
		t.Errorf("it was said %d times", n)
	}
	r.until("it is connected again", func() bool { return c.Status().State == channels.Connected })
}

// TestDeliveredAgain proves that messages that come twice are each taken once.
func TestDeliveredAgain(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.connect()
	r.account.Twice(3)
	var want []string
	for i := range 20 {
		want = append(want, fmt.Sprint("message ", i))
		r.write(r.ana, r.account.JID(), want[i])
	}
	r.accepted(20)
	r.account.Repeat(10)
	r.write(r.ana, r.account.JID(), "last")
	r.accepted(21)
	if got := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(got, append(want, "last")) {
		t.Errorf("the session has %q", got)
	}
}

// TestKilledBeforeAcknowledging proves that a process that dies when a message is
// committed, and before WhatsApp knows, leaves it to be answered once.
func TestKilledBeforeAcknowledging(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	dead := make(chan struct{})
	r.gate.After(func() {
		// What is sent after an acknowledgement arrives after it.
		if _, err := r.clients.Client("main").SendMessage(t.Context(), r.ana.JID(), text("in between")); err != nil {
			t.Error(err)
		}
		r.server.Unreachable() // nor can it come back before it is dead, to be told and to acknowledge it then
		go func() { r.stop(); close(dead) }()
	})
	r.connect()
	r.write(r.ana, r.account.JID(), "hello")
	<-dead
	if n := r.account.Waiting(); n != 1 {
		t.Fatalf("%d are left", n)
	}
	r.server.Reachable()
	r.connect()
	r.write(r.ana, r.account.JID(), "again")
	r.until("both are taken", func() bool { return r.account.Waiting() == 0 && len(r.gate.Arrivals()) > 1 })
	if got := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(got, []string{"hello", "again"}) {
		t.Errorf("the session has %q", got)
	}
}

// TestUndecryptable proves that somebody whose message cannot be read, although
// it was asked for once more, is told so; and that one that comes in time is read.
func TestUndecryptable(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	// However busy the machine is, it is in time.
	r.options = func(o *whatsapp.Options) { o.Patience = time.Hour }
	r.connect()
	r.write(r.ana, r.account.JID(), "hello")
	r.accepted(1)
	forget := func() {
		if err := r.clients.Client("main").Store.Sessions.DeleteSession(t.Context(), r.ana.LID().SignalAddress().String()); err != nil {
			t.Fatal(err)
		}
	}
	forget()
	r.write(r.ana, r.account.JID(), "once more")
	r.until("it is read", func() bool {
		return slices.ContainsFunc(r.gate.Arrivals(), func(in intake.Inbound) bool { return in.Text == "once more" })
	})
	r.stop()
	r.options = nil
	r.connect()
	forget()
	release := r.account.Hold()
	id := r.write(r.ana, r.account.JID(), "never")
	r.ana.Away()
	release()
	r.until("she is told", func() bool {
		return slices.ContainsFunc(r.gate.Arrivals(), func(in intake.Inbound) bool { return in.Unreadable == intake.Other && in.MessageID == id })
	})
	if n := len(slices.DeleteFunc(r.gate.Arrivals(), func(in intake.Inbound) bool { return in.Unreadable == "" })); n != 1 {
		t.Errorf("%d times", n)
	}
}
