package whatsapp

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"
)

// Write is the person writing text, to a person (by either address) or a group.
// It returns the id of the message once the server has accepted it.
func (p *Person) Write(ctx context.Context, to types.JID, text string) (string, error) {
	return p.send(ctx, to, &waE2E.Message{Conversation: proto.String(text)})
}

// Send is the person sending anything.
func (p *Person) Send(ctx context.Context, to types.JID, m *waE2E.Message) (string, error) {
	return p.send(ctx, to, m)
}

func (p *Person) send(ctx context.Context, to types.JID, m *waE2E.Message) (string, error) {
	sent, err := p.phone.SendMessage(ctx, to, m)
	if err != nil {
		return "", err
	}
	p.wrote(to, sent.ID, m)
	return sent.ID, nil
}

// Read is the person reading what somebody wrote to them.
func (p *Person) Read(ctx context.Context, chat types.JID, ids ...string) error {
	var by types.JID
	for _, l := range p.Sees(chat) {
		if len(ids) > 0 && l.ID == ids[0] {
			by = l.Sender
		}
	}
	if other := p.s.find(chat); other != nil {
		chat = other.LID()
	}
	return p.phone.MarkRead(ctx, ids, time.Now(), chat, by)
}
