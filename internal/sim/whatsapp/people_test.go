package whatsapp_test

import (
	"testing"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// TestOwnPhone proves what the client sees of its account's own phone: what it
// writes to others, and what one writes to oneself.
func TestOwnPhone(t *testing.T) {
	s := stage(t)
	b := s.linked()
	must(s.account.Write(s.ctx, s.alice.JID(), "from the phone"))(t)
	if m := b.got(1); !m.Info.IsFromMe || m.Info.Chat != s.alice.LID() || m.Info.RecipientAlt != s.alice.JID() || m.Message.GetConversation() != "from the phone" {
		t.Errorf("came %+v %v", m.Info, m.Message)
	}
	for i := range 2 {
		must(s.account.Write(s.ctx, s.account.JID(), "a note"))(t)
		if m := b.got(2 + i); !m.Info.IsFromMe || m.Info.Chat.ToNonAD() != s.account.LID() || m.Message.GetConversation() != "a note" {
			t.Errorf("came %+v %v", m.Info, m.Message)
		}
	}
	if err := b.write(s.account.JID(), "SELF", "noted"); err != nil {
		t.Fatal(err)
	}
	s.until("the note", func() bool { return len(s.account.Sees(s.account.JID())) == 3 })
	if broken := s.account.Undecrypted(); len(broken) > 0 {
		t.Errorf("could not be opened: %v", broken)
	}
	s.acknowledged()
}

// TestPersonAway proves that what is sent to a phone that is off waits for it, and
// that whoever has blocked the account gets nothing.
func TestPersonAway(t *testing.T) {
	s := stage(t)
	b := s.linked()
	s.alice.Away()
	if err := b.write(s.alice.JID(), "A", "later"); err != nil {
		t.Fatal(err)
	}
	if n := s.alice.Waiting(); n != 1 {
		t.Errorf("%d messages wait", n)
	}
	if err := s.alice.Back(); err != nil {
		t.Fatal(err)
	}
	s.until("the message", func() bool { return len(s.alice.Hears(s.account.JID())) == 1 })
	s.alice.Block(s.account.Person, true)
	if err := b.write(s.alice.JID(), "B", "blocked"); err != nil {
		t.Errorf("somebody who is blocked is told: %v", err)
	}
	s.alice.Block(s.account.Person, false)
	if err := b.write(s.alice.JID(), "C", "friends"); err != nil {
		t.Fatal(err)
	}
	s.until("the message", func() bool { return len(s.alice.Hears(s.account.JID())) == 2 })
	if l := s.alice.Hears(s.account.JID()); l[1].ID != "C" {
		t.Errorf("Alice sees %+v", l)
	}
}

// TestGarbled proves that a message which cannot be opened is asked for again,
// and comes.
func TestGarbled(t *testing.T) {
	s := stage(t)
	b := s.linked()
	must(s.alice.Write(s.ctx, s.account.JID(), "fine"))(t)
	b.got(1)
	s.account.Garble(1)
	id := must(s.alice.Write(s.ctx, s.account.JID(), "spoiled"))(t)
	if m := b.got(2); m.Info.ID != id || m.Message.GetConversation() != "spoiled" || m.RetryCount != 1 {
		t.Errorf("came %+v %v", m.Info, m.Message)
	}
	if e := saw[*events.UndecryptableMessage](b); e.Info.ID != id {
		t.Errorf("could not be opened: %+v", e)
	}
	if n := s.alice.Receipts(id, types.ReceiptTypeRetry); n != 1 {
		t.Errorf("it was asked for %d times", n)
	}
	s.acknowledged()
}
