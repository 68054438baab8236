package whatsapp_test

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"errand/internal/channels/whatsapp"
	"errand/internal/intake"
	"errand/internal/service"
	platform "errand/internal/test/sim/whatsapp"
)

// show is what came, without what is drawn. ids are of what was written, by what
// they are called.
func show(t *testing.T, in intake.Inbound, ids map[string]string) string {
	t.Helper()
	name := func(id string) string {
		for as, known := range ids {
			if known != "" {
				id = strings.ReplaceAll(id, known, as)
			}
		}
		return id
	}
	s := fmt.Sprintf("%s: %s", in.Sender.Name, in.Text)
	if in.Group {
		s = "group " + s
	}
	for _, extra := range []struct{ name, value string }{{"reply to", name(in.ReplyTo)}, {"has", string(in.Unreadable)}} {
		if extra.value != "" {
			s += fmt.Sprintf(" [%s %s]", extra.name, extra.value)
		}
	}
	if in.Forwarded {
		s += " [forwarded]"
	}
	for _, a := range in.Attachments {
		f, err := a.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(f)
		if err != nil || f.Close() != nil {
			t.Fatal(err)
		}
		s += fmt.Sprintf(" [%s %s %d", a.Type, a.Name, a.Size)
		if a.Voice {
			s += " voice"
		}
		s += ": " + string(data) + "]"
	}
	switch {
	case in.Deleted:
		s += " [took back " + name(in.MessageID) + "]"
	case in.Revision > 0:
		s += " [edit of " + name(in.MessageID) + "]"
	}
	return s
}

// A scene is what a test of arrivals plays on.
type scene struct {
	*rig
	ctx   context.Context
	us    types.JID
	group *platform.Group
	ben   *platform.Person
	ids   map[string]string
}

func (s *scene) sent(as string) func(string, error) {
	return func(id string, err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
		s.ids[as] = id
	}
}

func (s *scene) send(m *waE2E.Message) {
	s.t.Helper()
	s.sent("")(s.ana.Send(s.ctx, s.us, m))
}

func (s *scene) ours(to types.JID, text string) {
	s.t.Helper()
	m, err := s.clients.Client("main").SendMessage(s.ctx, to, &waE2E.Message{Conversation: &text})
	s.sent("OURS")(m.ID, err)
	s.until("Ana sees it", func() bool {
		return slices.ContainsFunc(s.ana.Sees(to), func(l platform.Line) bool { return l.ID == m.ID }) ||
			slices.ContainsFunc(s.ana.Sees(s.us), func(l platform.Line) bool { return l.ID == m.ID })
	})
}

func text(s string) *waE2E.Message {
	return &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &s}}
}

func wrapped(m *waE2E.Message) *waE2E.FutureProofMessage {
	return &waE2E.FutureProofMessage{Message: m}
}

// TestArrivals proves what is taken in, and as what.
func TestArrivals(t *testing.T) {
	question := "which train?\n\n1. the early one\n2. the late one"
	tests := []struct {
		name string
		do   func(s *scene)
		want []string
	}{
		{"text", func(s *scene) { s.send(&waE2E.Message{Conversation: proto.String(" hello 😀 ")}) }, []string{"Ana: hello 😀"}},
		{"text as other clients send it", func(s *scene) { s.send(text("hello")) }, []string{"Ana: hello"}},
		{"that disappears", func(s *scene) { s.send(&waE2E.Message{EphemeralMessage: wrapped(text("hello"))}) }, []string{"Ana: hello"}},
		{"wrapped twice", func(s *scene) {
			s.send(&waE2E.Message{EphemeralMessage: wrapped(&waE2E.Message{ViewOnceMessageV2: wrapped(text("hello"))})})
		}, []string{"Ana: hello"}},
		{"command", func(s *scene) { s.send(text("/tasks")) }, []string{"Ana: /tasks"}},
		{"edit", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.us, "helo"))
			s.sent("")(s.ana.Edit(s.ctx, s.us, s.ids["M"], "hello"))
		}, []string{"Ana: helo", "Ana: hello [edit of M]"}},
		{"taken back", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.us, "oh"))
			s.sent("")(s.ana.Revoke(s.ctx, s.us, s.ids["M"]))
		}, []string{"Ana: oh", "Ana:  [took back M]"}},
		{"reply", func(s *scene) {
			s.ours(s.ana.JID(), "shall I?")
			s.sent("")(s.ana.Reply(s.ctx, s.us, s.ids["OURS"], "yes"))
		}, []string{"Ana: yes [reply to OURS]"}},
		{"a number of a list", func(s *scene) {
			s.ours(s.ana.JID(), question)
			s.sent("")(s.ana.Reply(s.ctx, s.us, s.ids["OURS"], " 2. "))
			s.sent("")(s.ana.Reply(s.ctx, s.us, s.ids["OURS"], "3"))
			s.sent("")(s.ana.Reply(s.ctx, s.us, s.ids["OURS"], "2 tickets"))
		}, []string{"Ana: the late one [reply to OURS]", "Ana: 3 [reply to OURS]", "Ana: 2 tickets [reply to OURS]"}},
		{"picture with words", func(s *scene) { s.sent("")(s.ana.SendImage(s.ctx, s.us, "image/png", []byte("pixels"), "what is it?")) },
			[]string{"Ana: what is it? [image/png  6: pixels]"}},
		{"film", func(s *scene) { s.sent("")(s.ana.SendVideo(s.ctx, s.us, "video/mp4", []byte("film"), "")) }, []string{"Ana:  [video/mp4  4: film]"}},
		{"document", func(s *scene) {
			s.sent("")(s.ana.SendDocument(s.ctx, s.us, "a.pdf", "application/pdf", []byte("%PDF"), ""))
			s.sent("")(s.ana.SendDocument(s.ctx, s.us, "b.pdf", "application/pdf", []byte("%PDF"), "read it"))
		}, []string{"Ana:  [application/pdf a.pdf 4: %PDF]", "Ana: read it [application/pdf b.pdf 4: %PDF]"}},
		{"voice", func(s *scene) { s.sent("")(s.ana.SendVoice(s.ctx, s.us, []byte("ogg"), 3)) }, []string{"Ana:  [audio/ogg; codecs=opus  3 voice: ogg]"}},
		{"sticker", func(s *scene) { s.sent("")(s.ana.SendSticker(s.ctx, s.us, []byte("webp"))) }, []string{"Ana:  [has sticker]"}},
		{"contact", func(s *scene) { s.sent("")(s.ana.SendContact(s.ctx, s.us, "Cleo", "491700")) }, []string{"Ana:  [has other]"}},
		{"poll", func(s *scene) { s.sent("")(s.ana.SendPoll(s.ctx, s.us, "lunch?", "yes", "no")) }, []string{"Ana:  [has other]"}},
		{"place", func(s *scene) { s.sent("")(s.ana.SendLocation(s.ctx, s.us, 52.5, 13.4)) }, []string{"Ana:  [has other]"}},
		{"may be seen once", func(s *scene) { s.sent("")(s.ana.SendOnce(s.ctx, s.us, "image/png", []byte("x"))) }, []string{"Ana:  [has other]"}},
		{"a reaction, and somebody typing", func(s *scene) {
			s.ours(s.ana.JID(), "done")
			s.sent("")(s.ana.React(s.ctx, s.us, s.ids["OURS"], "👍"))
			if err := s.ana.Type(s.ctx, s.us, true); err != nil {
				s.t.Fatal(err)
			}
		}, nil},
		{"nothing in it", func(s *scene) {
			s.send(&waE2E.Message{})
			s.send(&waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_REVOKE.Enum()}})
			s.send(&waE2E.Message{ProtocolMessage: &waE2E.ProtocolMessage{Type: waE2E.ProtocolMessage_EPHEMERAL_SETTING.Enum()}})
		}, nil},
		{"group, not for us", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "lunch?"))
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, "@"+s.ben.LID().User+" lunch?", s.ben))
			s.sent("")(s.ana.Reply(s.ctx, s.group.JID, s.ids["M"], "yes"))
			s.sent("")(s.ana.SendImage(s.ctx, s.group.JID, "image/png", []byte("pixels"), "look"))
			s.sent("")(s.ana.SendSticker(s.ctx, s.group.JID, []byte("webp")))
		}, nil},
		{"group, named", func(s *scene) {
			us := "@" + s.account.LID().User
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, us+", lunch?", s.account.Person))
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, "hey "+us+" help", s.account.Person))
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, us+" /tasks", s.account.Person))
			s.sent("")(s.ana.Mention(s.ctx, s.group.JID, us, s.account.Person))
		}, []string{"group Ana: lunch?", "group Ana: hey @US help", "group Ana: /tasks", "group Ana: @US"}},
		{"group, named by number", func(s *scene) {
			s.sent("")(s.ana.Send(s.ctx, s.group.JID, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("@4930100 lunch?"),
				ContextInfo: &waE2E.ContextInfo{MentionedJID: []string{"4930100@s.whatsapp.net"}}}}))
		}, []string{"group Ana: lunch?"}},
		{"passed on", func(s *scene) {
			s.sent("")(s.ana.Send(s.ctx, s.us, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("/reset"),
				ContextInfo: &waE2E.ContextInfo{IsForwarded: proto.Bool(true), ForwardingScore: proto.Uint32(1)}}}))
		}, []string{"Ana: /reset [forwarded]"}},
		{"group, command that is passed on", func(s *scene) {
			s.sent("")(s.ana.Send(s.ctx, s.group.JID, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("/tasks"),
				ContextInfo: &waE2E.ContextInfo{IsForwarded: proto.Bool(true)}}}))
		}, nil},
		{"group, command", func(s *scene) { s.sent("")(s.ana.Write(s.ctx, s.group.JID, "/tasks")) }, []string{"group Ana: /tasks"}},
		{"group, reply to us", func(s *scene) {
			s.ours(s.group.JID, question)
			s.sent("")(s.ana.Reply(s.ctx, s.group.JID, s.ids["OURS"], "1"))
		}, []string{"group Ana: the early one [reply to OURS]"}},
		{"group, reply to somebody and named", func(s *scene) {
			s.sent("M")(s.ben.Write(s.ctx, s.group.JID, "at one"))
			s.until("Ana sees it", func() bool { return len(s.ana.Sees(s.group.JID)) == 1 })
			s.sent("")(s.ana.Send(s.ctx, s.group.JID, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String("what is that?"), ContextInfo: &waE2E.ContextInfo{
				StanzaID: proto.String(s.ids["M"]), Participant: proto.String(s.ben.LID().String()), MentionedJID: []string{s.account.LID().String()}}}}))
		}, []string{"group Ana: what is that? [reply to M/BEN]"}},
		{"group, an edit of what somebody else wrote", func(s *scene) {
			s.sent("M")(s.ana.Write(s.ctx, s.group.JID, "/tasks"))
			s.until("Ben sees it", func() bool { return len(s.ben.Sees(s.group.JID)) == 1 })
			s.sent("")(s.ben.Edit(s.ctx, s.group.JID, s.ids["M"], "/whoami"))
		}, []string{"group Ana: /tasks", "group Ben: /whoami [edit of M/BEN]"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen)
			ben := r.person("Ben", "+491719999999")
			s := &scene{rig: r, ctx: t.Context(), us: r.account.JID(), ben: ben, group: r.server.AddGroup("Team", r.account.Person, r.ana, ben),
				ids: map[string]string{"US": r.account.LID().User, "BEN": ben.JID().String()}}
			r.connect()
			begun := time.Now().Truncate(time.Second)
			tt.do(s)
			var got []string
			for _, in := range r.accepted(len(tt.want)) {
				got = append(got, strings.ReplaceAll(show(t, in, s.ids), r.account.LID().User, "US"))
				if in.Group == (in.Route.Chat == anasChat) || in.Group && in.Route.Chat != s.group.JID.String() {
					t.Errorf("it was written in %q", in.Route.Chat)
				}
				if in.Sent.Before(begun) || in.Sent.After(time.Now()) {
					t.Errorf("it was written at %s, and not since %s", in.Sent, begun)
				}
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("came %q, want %q", got, tt.want)
			}
		})
	}
}

// TestGroupIDs proves that in a group a message is known by its writer too, by
// the name of their chat.
func TestGroupIDs(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	group := r.server.AddGroup("Team", r.account.Person, r.ana)
	r.connect()
	id := r.write(r.ana, group.JID, "/whoami")
	if in := r.accepted(1)[0]; in.MessageID != whatsapp.FormatMessageID(id, anasChat) {
		t.Errorf("it is %q", in.MessageID)
	}
}
