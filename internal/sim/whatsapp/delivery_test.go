package whatsapp_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"

	"errand/internal/sim/whatsapp"
)

// acknowledged waits until the server keeps no message for the account.
func (s *scene) acknowledged() {
	s.t.Helper()
	s.until("acknowledgement", func() bool { return s.account.Waiting() == 0 })
}

func (b *bot) words() (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		list = append(list, m.Message.GetConversation())
	}
	return list
}

// TestAway proves that what is written while the client is away is delivered
// when it comes back, in order, and not a second time.
func TestAway(t *testing.T) {
	s := stage(t)
	b := s.linked()
	b.Disconnect()
	for _, text := range []string{"one", "two", "three"} {
		must(s.alice.Write(s.ctx, s.account.JID(), text))(t)
	}
	if n := s.account.Waiting(); n != 3 {
		t.Errorf("%d messages wait", n)
	}
	b.connect()
	b.got(3)
	if got := strings.Join(b.words(), " "); got != "one two three" {
		t.Errorf("came %q", got)
	}
	b.until("announcement", func() bool {
		return slices.ContainsFunc(b.events, func(e any) bool {
			p, ok := e.(*events.OfflineSyncPreview)
			return ok && p.Messages == 3
		})
	})
	saw[*events.OfflineSyncCompleted](b)
	s.acknowledged()
	b.Disconnect()
	b.connect()
	must(s.alice.Write(s.ctx, s.account.JID(), "four"))(t)
	if m := b.got(4); m.Message.GetConversation() != "four" {
		t.Errorf("after another connection came %v", m.Message)
	}
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

// TestFaults proves what a client meets when a message does not get through.
func TestFaults(t *testing.T) {
	s := stage(t)
	b := s.linked()
	s.account.Order(whatsapp.Fault{Kind: whatsapp.Refuse, Code: whatsapp.Restricted})
	if !racing {
		s.account.Order(whatsapp.Fault{Kind: whatsapp.DropBefore})
	}
	if err := b.write(s.alice.JID(), "A", "refused"); !errors.Is(err, whatsmeow.ErrServerReturnedError) || !strings.Contains(err.Error(), "463") {
		t.Errorf("a refused message: %v", err)
	}
	if err := b.write(s.alice.JID(), "B", "broken off"); err != nil || s.Accepted("B") != 1 {
		t.Errorf("a broken connection: %v, accepted %d times", err, s.Accepted("B"))
	}
	s.account.Order(whatsapp.Fault{Kind: whatsapp.NoAck})
	_, err := b.SendMessage(s.ctx, s.alice.JID(), &waE2E.Message{Conversation: proto.String("unanswered")}, whatsmeow.SendRequestExtra{ID: "C", Timeout: 10 * time.Millisecond})
	if !errors.Is(err, whatsmeow.ErrMessageTimedOut) {
		t.Errorf("an unanswered message: %v", err)
	}
	if err := b.write(s.alice.JID(), "D", strings.Repeat("x", 200<<10)); !errors.Is(err, whatsmeow.ErrServerReturnedError) {
		t.Errorf("a message that is too long: %v", err)
	}
	s.until("the rest", func() bool { return len(s.alice.Hears(s.account.JID())) == 2 })
	if l := s.alice.Hears(s.account.JID()); l[0].Text != "broken off" || l[1].Text != "unanswered" {
		t.Errorf("Alice sees %+v", l)
	}
}

// TestDisorder proves what the platform can do to messages on their way: late,
// in the wrong order, twice, or once more much later.
func TestDisorder(t *testing.T) {
	s := stage(t)
	b := s.linked()
	release := s.account.Hold()
	for _, text := range []string{"one", "two"} {
		must(s.alice.Write(s.ctx, s.account.JID(), text))(t)
	}
	s.account.Shuffle()
	if n := len(b.words()); n != 0 {
		t.Errorf("%d messages came while they were held", n)
	}
	release()
	b.got(2)
	if got := strings.Join(b.words(), " "); got != "two one" {
		t.Errorf("came %q", got)
	}
	s.acknowledged()
	s.account.Twice(1)
	must(s.alice.Write(s.ctx, s.account.JID(), "three"))(t)
	s.acknowledged()
	s.account.Repeat(2)
	s.acknowledged()
	must(s.alice.Write(s.ctx, s.account.JID(), "four"))(t)
	b.got(4)
	if got := strings.Join(b.words(), " "); got != "two one three four" {
		t.Errorf("with copies of the same bytes came %q", got)
	}
}

// TestReceipts proves that each side learns what became of its messages.
func TestReceipts(t *testing.T) {
	s := stage(t)
	b := s.linked()
	id := must(s.alice.Write(s.ctx, s.account.JID(), "hello"))(t)
	m := b.got(1)
	s.until("delivery", func() bool { return s.alice.Receipts(id, types.ReceiptTypeDelivered) == 1 })
	if err := b.MarkRead(s.ctx, []string{id}, time.Now(), m.Info.Chat, m.Info.Sender); err != nil {
		t.Fatal(err)
	}
	s.until("reading", func() bool { return s.alice.Receipts(id, types.ReceiptTypeRead) == 1 })
	if err := b.SendChatPresence(s.ctx, m.Info.Chat, types.ChatPresenceComposing, ""); err != nil {
		t.Fatal(err)
	}
	s.until("typing", func() bool { return s.alice.Typing(s.account.JID()) })
	if err := b.write(s.alice.JID(), "R", "answer"); err != nil {
		t.Fatal(err)
	}
	s.until("the answer", func() bool { return len(s.alice.Hears(s.account.JID())) == 1 })
	if s.alice.Typing(s.account.JID()) {
		t.Error("after its message the account still seems to write")
	}
	if err := s.alice.Read(s.ctx, s.account.JID(), "R"); err != nil {
		t.Fatal(err)
	}
	b.until("receipts", func() bool {
		told := map[types.ReceiptType]bool{}
		for _, e := range b.events {
			if r, ok := e.(*events.Receipt); ok && r.MessageIDs[0] == "R" && r.Chat == s.alice.LID() {
				told[r.Type] = true
			}
		}
		return told[types.ReceiptTypeDelivered] && told[types.ReceiptTypeRead]
	})
}

// TestConnection proves how a connection can be lost, and that nothing of what
// was written meanwhile is.
func TestConnection(t *testing.T) {
	tests := []struct {
		name string
		lose func(*scene) (back func())
		hard bool // the client has to be told to connect again
	}{
		{"dropped", func(s *scene) func() { s.account.Drop(); return func() {} }, false},
		{"silent", func(s *scene) func() { s.account.Silence(); return func() {} }, true},
		{"restart", func(s *scene) func() { s.account.Restart(); return func() {} }, false},
		{"unreachable", func(s *scene) func() { return s.Unreachable() }, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := stage(t)
			b := s.linked()
			back := tt.lose(s)
			must(s.alice.Write(s.ctx, s.account.JID(), "are you there?"))(t)
			if tt.hard {
				b.Disconnect()
				if err := b.Connect(); (err != nil) != (tt.name == "unreachable") {
					t.Errorf("connecting: %v", err)
				}
				back()
				if !b.IsConnected() {
					b.connect()
				}
			}
			b.got(1)
			s.acknowledged()
		})
	}
}
