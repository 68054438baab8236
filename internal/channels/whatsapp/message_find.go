package whatsapp

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
)

const longestFind = 10 * time.Second

// findSent finds a sent message that a phone could not decrypt. whatsmeow knows only messages that
// this client sent.
func (l *line) findSent(ctx context.Context, to types.JID, id types.MessageID) *waE2E.Message {
	if l.c.FindSent == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestFind)
	defer cancel()
	chats := []string{to.ToNonAD().String()}
	if to.Server != types.GroupServer {
		p, err := PersonOf(ctx, l.client.Store.LIDs, to)
		if err != nil || len(p.IDs()) == 0 {
			return nil
		}
		chats = nil
		if name, err := l.c.Devices.Chat(ctx, p); err == nil {
			chats = append(chats, name)
		}
		for _, jid := range []types.JID{p.PN, p.LID} {
			if !jid.IsEmpty() {
				chats = append(chats, jid.String())
			}
		}
	}
	return l.c.FindSent(ctx, id, chats...)
}
