package whatsapp

import (
	"context"
	"fmt"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// Write is the person writing text, to a person (by either address) or a group.
// Like everything a person sends, it returns the id of the message once the
// server has accepted it.
func (p *Person) Write(ctx context.Context, to types.JID, text string) (string, error) {
	return p.Send(ctx, to, &waE2E.Message{Conversation: &text})
}

// Mention is the person writing to a group and mentioning members, whose
// addresses have to be in the text too, as @ and the user of their LID.
func (p *Person) Mention(ctx context.Context, to types.JID, text string, mentioned ...*Person) (string, error) {
	info := &waE2E.ContextInfo{}
	for _, other := range mentioned {
		info.MentionedJID = append(info.MentionedJID, other.LID().String())
	}
	return p.Send(ctx, to, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &text, ContextInfo: info}})
}

// Reply is the person quoting a message of the chat.
func (p *Person) Reply(ctx context.Context, to types.JID, id, text string) (string, error) {
	l, err := p.line(to, id)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &text, ContextInfo: &waE2E.ContextInfo{
		StanzaID: &id, Participant: proto.String(l.Sender.String()), QuotedMessage: l.message}}})
}

// Edit is the person changing the text of a message of theirs.
func (p *Person) Edit(ctx context.Context, to types.JID, id, text string) (string, error) {
	return p.Send(ctx, to, p.phone.BuildEdit(p.chatAt(to), id, &waE2E.Message{Conversation: &text}))
}

// Revoke is the person deleting a message of theirs, for everybody.
func (p *Person) Revoke(ctx context.Context, to types.JID, id string) (string, error) {
	return p.Send(ctx, to, p.phone.BuildRevoke(p.chatAt(to), types.EmptyJID, id))
}

// React is the person reacting to a message of the chat; "" takes it back.
func (p *Person) React(ctx context.Context, to types.JID, id, emoji string) (string, error) {
	l, err := p.line(to, id)
	if err != nil {
		return "", err
	}
	return p.Send(ctx, to, p.phone.BuildReaction(p.chatAt(to), l.Sender, id, emoji))
}

// SendContact shares another person's number.
func (p *Person) SendContact(ctx context.Context, to types.JID, name, number string) (string, error) {
	card := fmt.Sprintf("BEGIN:VCARD\nVERSION:3.0\nFN:%s\nTEL;type=CELL;waid=%s:+%s\nEND:VCARD", name, number, number)
	return p.Send(ctx, to, &waE2E.Message{ContactMessage: &waE2E.ContactMessage{DisplayName: &name, Vcard: &card}})
}

// SendPoll is the person asking a question with answers to choose one from.
func (p *Person) SendPoll(ctx context.Context, to types.JID, question string, answers ...string) (string, error) {
	return p.Send(ctx, to, p.phone.BuildPollCreation(question, answers, 1))
}

// SendLocation is the person sharing where they are.
func (p *Person) SendLocation(ctx context.Context, to types.JID, latitude, longitude float64) (string, error) {
	return p.Send(ctx, to, &waE2E.Message{LocationMessage: &waE2E.LocationMessage{DegreesLatitude: &latitude, DegreesLongitude: &longitude}})
}

// Send is the person sending anything that whatsmeow can.
func (p *Person) Send(ctx context.Context, to types.JID, m *waE2E.Message) (string, error) {
	return p.sendAs(ctx, to, "", m)
}

func (p *Person) sendAs(ctx context.Context, to types.JID, id string, m *waE2E.Message) (string, error) {
	sent, err := p.phone.SendMessage(ctx, p.chatAt(to), m, whatsmeow.SendRequestExtra{ID: id})
	if err != nil {
		return "", fmt.Errorf("%s sends a message: %w", p.Name, err)
	}
	p.wrote(to, sent.ID, m)
	return sent.ID, nil
}

// Read is the person reading messages that one other has written to the chat.
func (p *Person) Read(ctx context.Context, chat types.JID, ids ...string) error {
	if len(ids) == 0 {
		return nil
	}
	l, err := p.line(chat, ids[0])
	if err != nil {
		return err
	}
	return p.phone.MarkRead(ctx, ids, time.Now(), p.chatAt(chat), l.Sender)
}

// Type is the person beginning to write, or stopping.
func (p *Person) Type(ctx context.Context, chat types.JID, on bool) error {
	state := types.ChatPresencePaused
	if on {
		state = types.ChatPresenceComposing
	}
	return p.phone.SendChatPresence(ctx, p.chatAt(chat), state, types.ChatPresenceMediaText)
}

func (p *Person) chatAt(chat types.JID) types.JID {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if other := p.s.person(chat); other != nil {
		return other.LID()
	}
	return chat
}

func (p *Person) line(chat types.JID, id string) (Line, error) {
	for _, l := range p.Sees(chat) {
		if l.ID == id {
			return l, nil
		}
	}
	return Line{}, fmt.Errorf("%s sees no message %s", p.Name, id)
}
