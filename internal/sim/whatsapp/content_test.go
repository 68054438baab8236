package whatsapp_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
	"google.golang.org/protobuf/proto"
)

// TestChanges proves that replies, edits, reactions and deletions mean the same
// to both sides.
func TestChanges(t *testing.T) {
	s := stage(t)
	b := s.linked()
	chat := s.account.JID()
	id := must(s.alice.Write(s.ctx, chat, "hello"))(t)
	m := b.got(1)
	send := func(m *waE2E.Message, id string) {
		t.Helper()
		if _, err := b.SendMessage(s.ctx, s.alice.JID(), m, whatsmeow.SendRequestExtra{ID: id}); err != nil {
			t.Fatal(err)
		}
	}
	send(&waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("thinking"), ContextInfo: &waE2E.ContextInfo{
		StanzaID: &id, Participant: proto.String(m.Info.Sender.ToNonAD().String()), QuotedMessage: m.Message}}}, "A")
	send(b.BuildEdit(m.Info.Chat, "A", &waE2E.Message{Conversation: proto.String("done")}), "B")
	send(b.BuildReaction(m.Info.Chat, m.Info.Sender, id, "👍"), "C")
	send(&waE2E.Message{Conversation: proto.String("oops")}, "D")
	send(b.BuildRevoke(m.Info.Chat, types.EmptyJID, "D"), "E")
	s.until("all of it", func() bool { l := s.alice.Sees(chat); return len(l) == 3 && l[2].Revoked })
	l := s.alice.Sees(chat)
	if l[0].Reactions["Errand"] != "👍" || !l[1].Edited || l[1].Text != "done" || l[1].ReplyTo != id || l[1].ID != "A" || l[2].Text != "" {
		t.Errorf("Alice sees %+v", l)
	}

	must(s.alice.Reply(s.ctx, chat, "A", "thanks"))(t)
	must(s.alice.Edit(s.ctx, chat, id, "hello!"))(t)
	must(s.alice.React(s.ctx, chat, "A", "🎉"))(t)
	must(s.alice.Revoke(s.ctx, chat, id))(t)
	if info := b.got(2).Message.GetExtendedTextMessage().GetContextInfo(); info.GetStanzaID() != "A" || info.GetParticipant() != s.account.LID().String() {
		t.Errorf("quoted is %v", info)
	}
	if e := b.got(3); !e.IsEdit || e.Message.GetProtocolMessage().GetKey().GetID() != id || e.Message.GetProtocolMessage().GetEditedMessage().GetConversation() != "hello!" {
		t.Errorf("an edit is %v", e.Message)
	}
	if r := b.got(4).Message.GetReactionMessage(); r.GetText() != "🎉" || r.GetKey().GetID() != "A" {
		t.Errorf("a reaction is %v", r)
	}
	if p := b.got(5).Message.GetProtocolMessage(); p.GetType() != waE2E.ProtocolMessage_REVOKE || p.GetKey().GetID() != id {
		t.Errorf("a deletion is %v", p)
	}
}

// TestMedia proves that files arrive as they were, both ways, and what whoever
// sends or opens one meets when the platform fails.
func TestMedia(t *testing.T) {
	s := stage(t)
	b := s.linked()
	chat, data := s.account.JID(), bytes.Repeat([]byte("data"), 5000)
	must(s.alice.SendImage(s.ctx, chat, "image/png", data, "look"))(t)
	must(s.alice.SendDocument(s.ctx, chat, "a.pdf", "application/pdf", data, "read"))(t)
	must(s.alice.SendVoice(s.ctx, chat, data, 3))(t)
	must(s.alice.SendSticker(s.ctx, chat, data))(t)
	must(s.alice.SendVideo(s.ctx, chat, "video/mp4", data, ""))(t)
	must(s.alice.SendContact(s.ctx, chat, "Bob", "4930300"))(t)
	must(s.alice.SendPoll(s.ctx, chat, "When?", "now", "later"))(t)
	must(s.alice.SendLocation(s.ctx, chat, 52.5, 13.4))(t)
	files := []whatsmeow.DownloadableMessage{b.got(1).Message.GetImageMessage(), b.got(2).Message.GetDocumentMessage(), b.got(3).Message.GetAudioMessage(),
		b.got(4).Message.GetStickerMessage(), b.got(5).Message.GetVideoMessage()}
	for _, f := range files {
		if got := must(b.Download(s.ctx, f))(t); !bytes.Equal(got, data) {
			t.Errorf("%T: %d bytes came", f, len(got))
		}
	}
	if c := b.got(6).Message.GetContactMessage(); !strings.Contains(c.GetVcard(), "+4930300") || b.got(7).Message.GetPollCreationMessage().GetName() != "When?" || b.got(8).Message.GetLocationMessage() == nil {
		t.Errorf("came %v, %v, %v", c, b.got(7).Message, b.got(8).Message)
	}

	s.OrderMedia(503)
	if _, err := b.Upload(s.ctx, data, whatsmeow.MediaDocument); err == nil {
		t.Error("an upload succeeded that should have failed")
	}
	f := must(b.Upload(s.ctx, data, whatsmeow.MediaDocument))(t)
	if _, err := b.SendMessage(s.ctx, s.alice.JID(), &waE2E.Message{DocumentMessage: &waE2E.DocumentMessage{FileName: proto.String("b.txt"), URL: &f.URL, DirectPath: &f.DirectPath,
		MediaKey: f.MediaKey, FileEncSHA256: f.FileEncSHA256, FileSHA256: f.FileSHA256, FileLength: &f.FileLength}}); err != nil {
		t.Fatal(err)
	}
	s.until("the document", func() bool { return len(s.alice.Hears(chat)) == 1 })
	l := s.alice.Hears(chat)[0]
	if got := must(s.alice.Open(s.ctx, l))(t); !bytes.Equal(got, data) || l.Kind != "document" || l.Name != "b.txt" {
		t.Errorf("Alice sees %+v, of %d bytes", l, len(got))
	}
	s.ForgetMedia()
	if _, err := b.Download(s.ctx, files[0]); !errors.Is(err, whatsmeow.ErrMediaDownloadFailedWith404) {
		t.Errorf("a file that is gone: %v", err)
	}
}

// TestNotForReading proves what else comes that is not a message to answer: a
// picture that linked devices do not get, a status, and a call.
func TestNotForReading(t *testing.T) {
	s := stage(t)
	b := s.linked()
	id := must(s.alice.SendOnce(s.ctx, s.account.JID(), "image/png", []byte("secret")))(t)
	if e := saw[*events.UndecryptableMessage](b); e.Info.ID != id || e.UnavailableType != events.UnavailableTypeViewOnce {
		t.Errorf("of the picture came %+v", e)
	}
	s.until("the picture on the phone", func() bool { return len(s.account.Sees(s.alice.JID())) == 1 })
	if l := s.account.Sees(s.alice.JID())[0]; l.Kind != "image" || string(must(s.account.Open(s.ctx, l))(t)) != "secret" {
		t.Errorf("the phone shows %+v", l)
	}
	must(s.alice.PostStatus(s.ctx, "on holiday"))(t)
	if m := b.content(1); m.Info.Chat != types.StatusBroadcastJID || m.Info.Sender.ToNonAD() != s.alice.LID() {
		t.Errorf("a status came as %+v", m.Info)
	}
	call := s.alice.Ring(s.account.JID())
	s.alice.HangUp(s.account.JID(), call)
	if e := saw[*events.CallOffer](b); e.CallID != call || e.CallCreator != s.alice.LID() || e.CallCreatorAlt != s.alice.JID() {
		t.Errorf("a call came as %+v", e)
	}
	saw[*events.CallTerminate](b)
	s.acknowledged()
}
