package whatsapp

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"

	"errand/internal/platform/whatsapp"
)

const longestFind = 10 * time.Second

// findSent finds a message of ours that a phone could not open: what this client
// sent itself whatsmeow has at hand. Its words are where all words are, and so
// cannot be had any more when they were deleted.
func (l *line) findSent(ctx context.Context, to types.JID, id types.MessageID) *waE2E.Message {
	if l.c.FindSent == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, longestFind)
	defer cancel()
	chats := []string{to.ToNonAD().String()}
	if to.Server != types.GroupServer {
		p, err := whatsapp.PersonOf(ctx, l.client.Store.LIDs, to)
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
