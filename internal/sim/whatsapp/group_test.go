package whatsapp_test

import (
	"errors"
	"slices"
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types/events"
)

// content waits for the nth message with something in it: the key that comes
// with the first words to a group is a message of its own to whatsmeow, under
// the same id.
func (b *bot) content(n int) *events.Message {
	b.scene.t.Helper()
	var found *events.Message
	b.until("message", func() bool {
		left := n
		for _, m := range b.messages {
			if m.Message.GetConversation() != "" || m.Message.GetExtendedTextMessage() != nil {
				if left--; left == 0 {
					found = m
				}
			}
		}
		return found != nil
	})
	return found
}

// changesOf reports whether the client was told of a change of a group.
func (b *bot) changesOf(which func(*events.GroupInfo) bool) bool {
	return slices.ContainsFunc(b.events, func(e any) bool {
		i, ok := e.(*events.GroupInfo)
		return ok && which(i)
	})
}

// TestGroup proves that members of a group read each other, that the account
// knows who wrote, and that whoever was removed is out.
func TestGroup(t *testing.T) {
	s := stage(t)
	b := s.linked()
	bob := must(s.AddPerson("Bob", "4930300"))(t)
	g := s.AddGroup("Trip", s.alice, s.account.Person)
	if e := saw[*events.JoinedGroup](b); e.JID != g.JID || e.Name != "Trip" {
		t.Errorf("it joined %+v", e)
	}
	for i, text := range []string{"one", "two"} {
		must(s.alice.Write(s.ctx, g.JID, text))(t)
		m := b.content(i + 1)
		if m.Message.GetConversation() != text || m.Info.Chat != g.JID || m.Info.Sender.ToNonAD() != s.alice.LID() || m.Info.SenderAlt.ToNonAD() != s.alice.JID() || !m.Info.IsGroup {
			t.Errorf("came %v %v", m.Info, m.Message)
		}
	}
	g.Add(bob)
	b.until("the new member", func() bool {
		return b.changesOf(func(i *events.GroupInfo) bool { return len(i.Join) == 1 && i.Join[0] == bob.LID() })
	})
	if err := b.write(g.JID, "A", "hello all"); err != nil {
		t.Fatal(err)
	}
	for _, p := range []interface{ Undecrypted() []string }{s.alice, bob, s.account} {
		if broken := p.Undecrypted(); len(broken) > 0 {
			t.Errorf("could not be opened: %v", broken)
		}
	}
	s.until("the answer", func() bool { return len(s.alice.Hears(g.JID)) == 1 && len(bob.Hears(g.JID)) == 1 })
	s.until("the account's own phone", func() bool { return len(s.account.Sees(g.JID)) == 3 })
	if l := bob.Hears(g.JID)[0]; l.Text != "hello all" || l.By != "Errand" {
		t.Errorf("Bob sees %+v", l)
	}
	must(bob.Mention(s.ctx, g.JID, "@"+s.account.LID().User+" hi", s.account.Person))(t)
	if m := b.content(3); m.Message.GetExtendedTextMessage().GetContextInfo().GetMentionedJID()[0] != s.account.LID().String() {
		t.Errorf("came %v", m.Message)
	}
	g.Kick(s.account.Person)
	b.until("the removal", func() bool {
		return b.changesOf(func(i *events.GroupInfo) bool { return len(i.Leave) == 1 && i.Leave[0] == s.account.LID() })
	})
	if err := b.write(g.JID, "B", "still there?"); err == nil {
		t.Error("somebody who was removed could write")
	}
	if _, err := b.GetGroupInfo(s.ctx, g.JID); !errors.Is(err, whatsmeow.ErrNotInGroup) {
		t.Errorf("asking about the group: %v", err)
	}
	if groups := must(b.GetJoinedGroups(s.ctx))(t); len(groups) != 0 {
		t.Errorf("it is in %v", groups)
	}
}

// TestNewDeviceInGroup proves that a device which the sender did not know of gets
// a message when it asks for it.
func TestNewDeviceInGroup(t *testing.T) {
	s := stage(t)
	g := s.AddGroup("Trip", s.alice, s.account.Person)
	must(s.alice.Write(s.ctx, g.JID, "before"))(t)
	release := s.alice.Hold() // so that Alice is not told of the device
	b := s.linked()
	id := must(s.alice.Write(s.ctx, g.JID, "after"))(t)
	saw[*events.UndecryptableMessage](b)
	release()
	if m := b.content(1); m.Info.ID != id || m.Message.GetConversation() != "after" {
		t.Errorf("came %v %v", m.Info, m.Message)
	}
	s.acknowledged()
}
