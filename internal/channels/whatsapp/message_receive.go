package whatsapp

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/core"
	"errand/internal/intake"

	"errand/internal/service"
)

func (l *line) inboundOf(ctx context.Context, e *events.Message) (*intake.Inbound, error) {
	if !forUs(e.Info) {
		return nil, nil
	}
	m := e.Message
	if m.GetSecretEncryptedMessage() != nil { // an edit in the form that some clients send
		var err error
		if m, err = l.client.DecryptSecretEncryptedMessage(ctx, e); err != nil {
			l.c.Logger.Info("edit skipped, because it cannot be read", "error", err)
			return nil, nil
		}
	}
	s := read(m)
	if s == nil {
		return nil, nil
	}
	by, in, err := l.inbound(ctx, e.Info)
	if err != nil {
		return nil, err
	}
	if err := l.fill(ctx, &in, s, by, e.Info); err != nil {
		return nil, err
	}
	if in.Group && !l.addressed(s) {
		if s.of == "" {
			return nil, nil
		}
		in.Unaddressed = true // the inbox knows whether the original message was for errand
	}
	in.Text, in.Mentions = l.plain(in.Text), mentions(s)
	return &in, nil
}

// forUs holds for messages from people, but not from the account itself, programs or broadcasts.
func forUs(i types.MessageInfo) bool {
	switch i.Chat.Server {
	case types.DefaultUserServer, types.HiddenUserServer, types.GroupServer, types.HostedServer, types.HostedLIDServer:
	default: // a status, a newsletter or a broadcast list
		return false
	}
	return !i.IsFromMe && !i.Sender.IsBot() && !i.SenderAlt.ToNonAD().IsBot() && !i.Chat.IsBot() && i.Sender.User != types.PSAJID.User
}

// receive returns nil also for a message that can never be accepted.
func (l *line) receive(ctx context.Context, in intake.Inbound) error {
	_, err := l.c.Receiver.Receive(ctx, in)
	var no *service.Error
	if errors.As(err, &no) {
		l.c.Logger.Info("message refused", "chat", in.Route.Chat, "reason", no.Code)
		err = nil
	}
	if err == nil {
		l.took.Store(true)
	}
	return err
}

func (l *line) inbound(ctx context.Context, i types.MessageInfo) (Person, intake.Inbound, error) {
	in := intake.Inbound{Route: core.Route{Channel: Name, Account: l.c.Account}, Group: i.IsGroup, MessageID: i.ID, Sent: i.Timestamp}
	by, err := PersonOf(ctx, l.client.Store.LIDs, i.Sender, i.SenderAlt)
	if err == nil && by.PN.IsEmpty() && l.learn(ctx) {
		by, err = PersonOf(ctx, l.client.Store.LIDs, i.Sender, i.SenderAlt)
	}
	if err != nil {
		return by, in, err
	}
	in.Sender = intake.Sender{IDs: by.IDs(), Name: i.PushName}
	chat, err := l.c.Devices.Chat(ctx, by)
	if err != nil {
		return by, in, err
	}
	in.Route.Chat = chat
	if i.IsGroup {
		in.Route.Chat = i.Chat.ToNonAD().String()
		in.MessageID = FormatMessageID(i.ID, chat)
	}
	return by, in, nil
}

func (l *line) fill(ctx context.Context, in *intake.Inbound, s *message, by Person, i types.MessageInfo) error {
	in.Text, in.Unreadable, in.Deleted = s.text, s.unreadable, s.deleted
	in.Forwarded = s.about.GetIsForwarded() // WhatsApp does not name the original author
	if s.of != "" {
		// People can change only their own messages: the id contains the author.
		_, writer := ParseMessageID(in.MessageID)
		in.MessageID = s.of
		if !writer.IsEmpty() {
			in.MessageID = FormatMessageID(s.of, writer.String())
		}
		if in.Revision = int(s.when); in.Revision <= 0 && !s.deleted {
			in.Revision = int(i.Timestamp.UnixMilli())
		}
	}
	if s.file != nil {
		in.Attachments = []intake.Attachment{l.attachment(i.ID, s.file)}
	}
	return l.replied(ctx, in, s.about)
}

// replied sets the id of the quoted message, and in a group also its author if that is a person.
func (l *line) replied(ctx context.Context, in *intake.Inbound, about *waE2E.ContextInfo) error {
	id := about.GetStanzaID()
	if id == "" {
		return nil
	}
	in.ReplyTo = id
	writer, ok := ParseAddress(about.GetParticipant())
	if l.isUs(writer) {
		in.Text = choose(in.Text, about.GetQuotedMessage())
		return nil
	}
	if !in.Group || !ok {
		return nil
	}
	p, err := PersonOf(ctx, l.client.Store.LIDs, writer)
	if err != nil {
		return err
	}
	chat, err := l.c.Devices.Chat(ctx, p)
	if err != nil {
		return err
	}
	in.ReplyTo = FormatMessageID(id, chat)
	return nil
}

func (l *line) us() Person {
	return Person{PN: l.client.Store.GetJID().ToNonAD(), LID: l.client.Store.GetLID().ToNonAD()}
}

func (l *line) handles() []string {
	us := l.us()
	return slices.DeleteFunc([]string{us.PN.User, us.LID.User}, func(h string) bool { return h == "" })
}

// mentions returns the mentioned addresses. The message text contains their digits.
func mentions(s *message) []intake.Mention {
	var list []intake.Mention
	for _, m := range s.about.GetMentionedJID() {
		if jid, ok := ParseAddress(m); ok {
			list = append(list, intake.Mention{ID: jid.User, Text: "@" + jid.User})
		}
	}
	return list
}

func (l *line) isUs(jid types.JID) bool { return l.us().Is(jid) }

// addressed holds for mentions of either address, commands, replies to errand, and all deletions.
func (l *line) addressed(s *message) bool {
	if s.deleted || core.IsCommand(l.plain(s.text)) && !s.about.GetIsForwarded() {
		return true
	}
	if writer, ok := ParseAddress(s.about.GetParticipant()); ok && s.about.GetStanzaID() != "" && l.isUs(writer) {
		return true
	}
	for _, m := range s.about.GetMentionedJID() {
		if jid, ok := ParseAddress(m); ok && l.isUs(jid) {
			return true
		}
	}
	return false
}

// plain removes a leading mention of errand: "@" and the digits of an address.
func (l *line) plain(text string) string {
	text = strings.TrimSpace(text)
	us := l.us()
	for _, jid := range []types.JID{us.PN, us.LID} {
		rest, ok := strings.CutPrefix(text, "@"+jid.User)
		if !ok || jid.User == "" {
			continue
		}
		rest = strings.TrimLeft(rest, ",:;!.")
		if trimmed := strings.TrimSpace(rest); trimmed != "" && trimmed != rest {
			return trimmed
		}
	}
	return text
}
