package whatsapp_test

import (
	"testing"

	"errand/internal/test/sim/whatsapp"
)

// acknowledged waits until the server keeps no message for the account.
func (s *scene) acknowledged() {
	s.t.Helper()
	s.until("acknowledgement", func() bool { return s.account.Waiting() == 0 })
}

// TestDeathBeforeAck proves that a message is delivered again, and can be read
// again, until a client has said that it has it.
func TestDeathBeforeAck(t *testing.T) {
	s := stage(t)
	b := s.linked()
	b.refuse = true
	id := must(s.alice.Write(s.ctx, s.account.JID(), "do it"))(t)
	b.got(1)
	b.Disconnect()
	if n := s.account.Waiting(); n != 1 {
		t.Fatalf("%d messages wait", n)
	}
	again := s.client(b.Store)
	again.connect()
	if m := again.got(1); m.Info.ID != id || m.Message.GetConversation() != "do it" {
		t.Errorf("again came %v %v", m.Info, m.Message)
	}
	s.acknowledged()
}

// TestLostAck proves that a person sees a message once that was sent twice under
// its id, by the client or by whoever uses it.
func TestLostAck(t *testing.T) {
	s := stage(t)
	b := s.linked()
	want := 2
	if racing {
		want = 1
	} else {
		s.account.Order(whatsapp.Fault{Kind: whatsapp.DropAfter})
	}
	if err := b.write(s.alice.JID(), "LOST", "once"); err != nil {
		t.Fatal(err)
	}
	if n := s.Accepted("LOST"); n != want {
		t.Errorf("the server accepted it %d times", n)
	}
	for range 2 {
		if err := b.write(s.alice.JID(), "AGAIN", "twice"); err != nil {
			t.Fatal(err)
		}
	}
	s.until("the repetition", func() bool {
		l := s.alice.Hears(s.account.JID())
		return len(l) == 2 && l[1].Repeated == 1
	})
	if l := s.alice.Hears(s.account.JID()); l[0].Text != "once" || l[0].Repeated != 0 || l[1].Text != "twice" {
		t.Errorf("Alice sees %+v", l)
	}
}
