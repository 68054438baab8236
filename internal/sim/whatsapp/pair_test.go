package whatsapp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/appstate"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/sim/whatsapp"
)

// showsQR connects a client that has not been linked, and returns its QR text.
func (b *bot) showsQR() string {
	b.scene.t.Helper()
	qr := must(b.GetQRChannel(b.scene.ctx))(b.scene.t)
	if err := b.Connect(); err != nil {
		b.scene.t.Fatal(err)
	}
	item := <-qr
	if item.Event != whatsmeow.QRChannelEventCode {
		b.scene.t.Fatalf("instead of a code: %+v", item)
	}
	return item.Code
}

// TestPingsBeforeLinked proves that a client that shows its QR text for longer is
// not made to believe that nobody is there.
func TestPingsBeforeLinked(t *testing.T) {
	s := stage(t)
	b := s.client(s.store().NewDevice())
	b.showsQR()
	//lint:ignore SA1019 by itself a client pings after 20 s
	if answered, _ := b.DangerousInternals().SendKeepAlive(s.ctx); !answered {
		t.Error("a ping is not answered")
	}
}

// TestPairing proves that a client is linked by scanning its QR text, logs in by
// itself, and again after a restart with the same store.
func TestPairing(t *testing.T) {
	s := stage(t)
	store := s.store()
	b := s.client(store.NewDevice())
	must(s.alice.Write(s.ctx, s.account.JID(), "before"))(t)
	s.until("a message on the phone", func() bool { return len(s.account.Sees(s.alice.JID())) == 1 })
	code := b.showsQR()
	if err := s.account.Scan(s.ctx, strings.Replace(code, ",", "x,", 1)); err == nil {
		t.Error("a text that no client shows was accepted")
	}
	if err := s.account.Scan(s.ctx, code); err != nil {
		t.Fatal(err)
	}
	if e := saw[*events.PairSuccess](b); e.ID.ToNonAD() != s.account.JID() || e.LID.ToNonAD() != s.account.LID() {
		t.Errorf("it was linked to %v, %v", e.ID, e.LID)
	}
	saw[*events.Connected](b)
	if h := saw[*events.HistorySync](b); h.Data.GetConversations()[0].GetMessages()[0].GetMessage().GetMessage().GetConversation() != "before" {
		t.Errorf("the history is %v", h.Data)
	}
	b.until("the name", func() bool {
		return slices.ContainsFunc(b.events, func(e any) bool {
			c, ok := e.(*events.AppStateSyncComplete)
			return ok && c.Name == appstate.WAPatchCriticalBlock && c.Version == 1
		})
	})
	if b.Store.PushName != "Errand" {
		t.Errorf("the client believes its name to be %q", b.Store.PushName)
	}
	if err := s.account.Scan(s.ctx, code); err == nil {
		t.Error("a text was accepted twice")
	}
	must(s.alice.Write(s.ctx, s.account.JID(), "one"))(t)
	b.got(1)
	b.Disconnect()

	b = s.client(must(store.GetFirstDevice(s.ctx))(t))
	b.connect()
	must(s.alice.Write(s.ctx, s.account.JID(), "two"))(t)
	if m := b.got(1); m.Message.GetConversation() != "two" {
		t.Errorf("after the restart came %v", m.Message)
	}
	if n := len(s.account.Linked()); n != 1 {
		t.Errorf("%d devices are linked", n)
	}
	if left := s.account.KeysLeft()[1]; left < 50 {
		t.Errorf("the client has %d keys on the server", left)
	}
}

// TestPairingCode proves that typing the client's code links it, and that a
// wrong one does not.
func TestPairingCode(t *testing.T) {
	s := stage(t)
	b := s.client(s.store().NewDevice())
	b.showsQR()
	code := must(b.PairPhone(s.ctx, s.account.Number, true, whatsmeow.PairClientChrome, "Chrome (Linux)"))(t)
	if err := s.account.EnterCode(s.ctx, "AAAA-AAAA"); err == nil {
		t.Error("a wrong code was accepted")
	}
	if err := s.account.EnterCode(s.ctx, code); err != nil {
		t.Fatal(err)
	}
	saw[*events.Connected](b)
	must(s.alice.Write(s.ctx, s.account.JID(), "hello"))(t)
	b.got(1)
}

// TestNobodyScans proves that a client learns that its time is over.
func TestNobodyScans(t *testing.T) {
	s := stage(t)
	b := s.client(s.store().NewDevice())
	qr := must(b.GetQRChannel(s.ctx))(t)
	if err := b.Connect(); err != nil {
		t.Fatal(err)
	}
	<-qr
	s.ExpireQR()
	if item := <-qr; item != whatsmeow.QRChannelTimeout {
		t.Errorf("the client was told %+v", item)
	}
}

// TestEnds proves what a client is told when its session ends from outside, and
// whether it may come back.
func TestEnds(t *testing.T) {
	t.Run("unlinked", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		s.account.Unlink()
		if e := saw[*events.LoggedOut](b); e.OnConnect {
			t.Error("it was told at the login")
		}
		if n := len(s.account.Linked()); n != 0 {
			t.Errorf("%d devices are linked", n)
		}
		must(s.alice.Write(s.ctx, s.account.JID(), "nobody but the phone"))(t)
	})
	t.Run("unlinked while away", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		b.Disconnect()
		s.account.Unlink()
		if err := b.Connect(); err != nil {
			t.Fatal(err)
		}
		if e := saw[*events.LoggedOut](b); !e.OnConnect || e.Reason != events.ConnectFailureLoggedOut {
			t.Errorf("it was told %+v", e)
		}
	})
	t.Run("replaced", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		s.account.Replace()
		saw[*events.StreamReplaced](b)
	})
	t.Run("replaced by itself", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		second := s.client(b.Store)
		second.connect()
		saw[*events.StreamReplaced](b)
		must(s.alice.Write(s.ctx, s.account.JID(), "hello"))(t)
		second.got(1)
	})
	t.Run("banned", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		s.account.Ban(time.Hour)
		if e := saw[*events.TemporaryBan](b); e.Expire != time.Hour {
			t.Errorf("it was told %+v", e)
		}
		s.account.Ban(0)
		b.Disconnect()
		b.connect()
	})
	t.Run("refused for good", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		b.Disconnect()
		s.account.RefuseLogin(405)
		if err := b.Connect(); err != nil {
			t.Fatal(err)
		}
		saw[*events.ClientOutdated](b)
		b.Disconnect()
		b.connect()
	})
	t.Run("logged out by itself", func(t *testing.T) {
		s := stage(t)
		b := s.linked()
		if err := b.Logout(s.ctx); err != nil {
			t.Fatal(err)
		}
		if n := len(s.account.Linked()); n != 0 {
			t.Errorf("%d devices are linked", n)
		}
	})
}

// TestAddPerson proves that numbers are people's own.
func TestAddPerson(t *testing.T) {
	s := stage(t)
	for _, number := range []string{s.alice.Number, "", "x"} {
		if _, err := s.AddPerson("Bob", number); err == nil {
			t.Errorf("%q was accepted", number)
		}
	}
	if whatsapp.RootKey() != whatsmeow.WACertPubKey {
		t.Error("clients do not trust the server")
	}
	if err := s.account.Scan(s.ctx, "nonsense"); err == nil || errors.Is(err, s.ctx.Err()) {
		t.Errorf("scanning nonsense: %v", err)
	}
}
