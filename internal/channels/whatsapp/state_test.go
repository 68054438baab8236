package whatsapp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"

	"errand/internal/channels"
	"errand/internal/channels/whatsapp"
	"errand/internal/service"
)

// TestStates proves that what is wrong with a connection is seen, with what to do
// about it, is said once, and heals.
func TestStates(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		break_ func(*rig) (heal func())
		state  channels.State
		detail string
		advice string
		cause  bool // WhatsApp says why, and that is waited for
	}{
		{"dropped", func(r *rig) func() { r.account.Drop(); return nil }, channels.Degraded, "the connection broke", "", false},
		{"the server restarts", func(r *rig) func() { r.account.Restart(); return nil }, channels.Degraded, "the connection broke", "", false},
		{"unreachable", func(r *rig) func() {
			return r.server.Unreachable()
		}, channels.Degraded, "cannot be reached", "", false},
		{"the server's own trouble", func(r *rig) func() {
			r.account.RefuseLogin(500, 503, 503)
			r.account.Drop()
			return nil
		}, channels.Degraded, "", "", false},
		{"another program", func(r *rig) func() { r.account.Replace(); return nil }, channels.Replaced, "another program", "stop the other program", true},
		{"banned for a while", func(r *rig) func() { r.account.Ban(time.Second); return func() { r.account.Ban(0) } }, channels.Degraded, "banned", "in 1s", true},
		{"too old", func(r *rig) func() { r.account.RefuseLogin(405); r.account.Drop(); return nil }, channels.Degraded, "405", "update errand", true},
		{"unknown", func(r *rig) func() { r.account.RefuseLogin(418); r.account.Drop(); return nil }, channels.Degraded, "418", "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			if tt.cause {
				r.options = causeMatters
			}
			c := r.connect()
			heal := tt.break_(r)
			var broken channels.Status
			r.until("it is "+string(tt.state), func() bool {
				for _, s := range r.gate.States() {
					if s.State == tt.state && strings.Contains(s.Detail, tt.detail) {
						broken = s
						return true
					}
				}
				return false
			})
			if !strings.Contains(broken.Advice, tt.advice) || broken.Detail == "" || broken.Link != "" {
				t.Errorf("the status is %+v", broken)
			}
			if heal != nil {
				heal()
			}
			r.write(r.ana, r.account.JID(), "still there?")
			r.accepted(1)
			r.until("it is connected again", func() bool { return c.Status().State == channels.Connected })
			// A drop that heals at once is a break and no more; what is refused
			// afterwards is another.
			if n := strings.Count(r.gate.Log(), "level=WARN"); n < 1 || n > 2 {
				t.Errorf("it was said %d times:\n%s", n, r.gate.Log())
			}
		})
	}
}

// TestLoggedOut proves that an account that was logged out is seen as that, with
// a QR code that links it again.
func TestLoggedOut(t *testing.T) {
	t.Parallel()
	for name, out := range map[string]func(*rig){
		"logged out on the phone":   func(r *rig) { r.account.Unlink() },
		"banned the number (406)":   func(r *rig) { r.account.RefuseLogin(406); r.account.Drop() },
		"locked the account":        func(r *rig) { r.account.RefuseLogin(403); r.account.Drop() },
		"logged out on the phone, ": func(r *rig) { r.account.RefuseLogin(401); r.account.Drop() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			r.options = causeMatters
			c := r.connect()
			out(r)
			r.until("there is a QR code", func() bool { return c.Status().Link != "" })
			s := c.Status()
			if s.State != channels.LoggedOut || !strings.Contains(s.Detail, strings.TrimSuffix(name, ", ")) || !strings.Contains(s.Advice, "errand channels add whatsapp") {
				t.Errorf("the status is %+v", s)
			}
			if err := r.account.Scan(t.Context(), s.Link); err != nil {
				t.Fatal(err)
			}
			r.until("it is connected again", func() bool { return c.Status().State == channels.Connected })
			r.write(r.ana, r.account.JID(), "welcome back")
			r.until("it came", func() bool { return len(r.gate.Arrivals()) == 1 })
			if strings.Contains(r.gate.Log(), s.Link) {
				t.Error("the QR text is in the log")
			}
		})
	}
}

// TestLinking proves that an account is linked by scanning what its status shows,
// which is renewed, or by a code; that it stays so; and that a number is not
// linked twice.
func TestLinking(t *testing.T) {
	t.Parallel()
	r := newRigUnlinked(t, service.AccessOpen)
	c := r.start()
	shown := func(not string) string {
		r.until("there is a QR code", func() bool { l := c.Status().Link; return l != "" && l != not })
		return c.Status().Link
	}
	first := shown("")
	if s := c.Status(); s.State != channels.LoggedOut || !strings.Contains(s.Detail, "no phone has linked") {
		t.Errorf("the status is %+v", s)
	}
	r.server.ExpireQR()
	second := shown(first)
	if r.account.Scan(t.Context(), first) == nil {
		t.Error("a code that is over links")
	}
	if err := r.account.Scan(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
	if s := c.Status(); s.Link != "" || s.Detail != "as +4930100" {
		t.Errorf("the status is %+v", s)
	}
	r.until("others are told its name", func() bool { return r.account.Presence() == "unavailable as Errand" })
	r.stop()
	r.connect()
	r.write(r.ana, r.account.JID(), "hello")
	r.accepted(1)

	r.options = func(o *whatsapp.Options) { o.Account = "second" }
	other := r.start()
	r.until("there is a QR code", func() bool { return other.Status().Link != "" })
	if r.account.Scan(t.Context(), other.Status().Link) == nil {
		t.Error("one number is two accounts")
	}
	r.until("it says why", func() bool { return strings.Contains(other.Status().Detail, `already that of the account "main"`) })
	r.until("there is a QR code again", func() bool { return other.Status().Link != "" })
	finn, err := r.server.AddAccount("Finn", "+4930300")
	if err != nil {
		t.Fatal(err)
	}
	code, err := r.devices.AskCode(t.Context(), "second", "+49 30 300")
	if err != nil || len(code) != 9 {
		t.Fatal(code, err)
	}
	if err := finn.EnterCode(t.Context(), code); err != nil {
		t.Fatal(err)
	}
	r.until("it is connected", func() bool { return other.Status().State == channels.Connected })
	if r.clients.Client("second").Store.ID.User != "4930300" || r.clients.Client("main").Store.ID.User != "4930100" || r.clients.Client("third") != nil {
		t.Error("the accounts are mixed up")
	}
	if left := r.rows("errand_whatsapp_codes"); left != 0 {
		t.Errorf("%d codes are kept", left)
	}
}

// TestNoCode proves that it is said why there is no code to link an account with.
func TestNoCode(t *testing.T) {
	t.Parallel()
	r := newRigUnlinked(t, service.AccessOpen)
	c := r.start()
	r.until("there is a QR code", func() bool { return c.Status().Link != "" })
	for number, want := range map[string]string{"0171 1234567": "with its country code", "": "with its country code", "+49 30 999": "for this number (404)"} {
		code, err := r.devices.AskCode(t.Context(), "main", number)
		var no *service.Error
		if code != "" || !errors.As(err, &no) || !strings.Contains(no.Message, want) {
			t.Errorf("for %q: %q, %v", number, code, err)
		}
	}
	r.link()
	r.stop()
	r.connect()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if code, err := r.devices.AskCode(ctx, "main", "+4930100"); err == nil {
		t.Errorf("%q for an account that is linked", code)
	}
	if left := r.rows("errand_whatsapp_codes"); left != 0 {
		t.Errorf("%d numbers are kept", left)
	}
}

// TestEnd proves that when a channel has ended nothing is connected or handled
// any more, and that another one then can be.
func TestEnd(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.connect()
	cli := r.clients.Client("main")
	r.stop()
	if cli.IsConnected() || r.clients.Client("main") != nil {
		t.Error("it is still connected")
	}
	r.write(r.ana, r.account.JID(), "hello")
	if n := r.account.Waiting(); n != 1 {
		t.Errorf("%d messages wait", n)
	}
	r.connect()
	r.accepted(1)
	if _, err := cli.SendMessage(t.Context(), r.ana.JID(), text("hello")); !errors.Is(err, whatsmeow.ErrNotConnected) {
		t.Errorf("the old client sends: %v", err)
	}
}
