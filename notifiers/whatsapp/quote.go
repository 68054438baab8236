package whatsapp

import (
	"cmp"
	"context"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"errand/internal/channels/whatsapp"
	"errand/internal/core"
)

func (w *Notifier) messages(ctx context.Context, t target, n core.Notification) []*waE2E.Message {
	var list []*waE2E.Message
	for i, text := range render(n) {
		m := &waE2E.Message{Conversation: proto.String(text)}
		if i == 0 && n.ReplyTo != "" {
			m = &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: proto.String(text), ContextInfo: w.quote(ctx, t, n)}}
		}
		list = append(list, m)
	}
	return list
}

// Rebuild returns a function that rebuilds a sent message for a phone that could not decrypt it. It
// returns nil if the message is no longer known. find returns the notification that was sent as a
// message, with the content of its file. chats are all ids of the chat.
func (w *Notifier) Rebuild(find func(ctx context.Context, id string, chats ...string) (core.Notification, bool)) func(ctx context.Context, id types.MessageID, chats ...string) *waE2E.Message {
	return func(ctx context.Context, id types.MessageID, chats ...string) *waE2E.Message {
		n, ok := find(ctx, id, chats...)
		if !ok {
			return nil
		}
		t, err := w.target(ctx, n.Route, storedChat(n), 0)
		if err != nil {
			return nil
		}
		if n.File != nil {
			if MessageID(n.IdempotencyKey(), 0) != id || n.File.Data == nil {
				return nil
			}
			m, err := w.document(ctx, t, n)
			if err != nil {
				return nil
			}
			return m
		}
		for i, m := range w.messages(ctx, t, n) {
			if MessageID(n.IdempotencyKey(), i) == id {
				return m
			}
		}
		return nil
	}
}

// Clients show the quoted text from the reply, not from their own copy of the message.
const longestQuote = 300

func (w *Notifier) quote(ctx context.Context, t target, n core.Notification) *waE2E.ContextInfo {
	id, by := whatsapp.ParseMessageID(n.ReplyTo)
	words := ""
	if w.MessageText != nil {
		r := n.Route
		r.Chat = cmp.Or(storedChat(n), r.Chat)
		// Reply without a quote if the text is not available.
		words, _ = w.MessageText(ctx, r, n.ReplyTo)
	}
	return &waE2E.ContextInfo{StanzaID: proto.String(id), Participant: proto.String(t.writer(ctx, by).String()),
		QuotedMessage: &waE2E.Message{Conversation: proto.String(core.Cut(words, longestQuote))}}
}

// writer returns the author of the quoted message. In a direct chat it is the other side. In a
// group it is the LID of by, or of the account if by is empty.
func (t target) writer(ctx context.Context, by types.JID) types.JID {
	if t.to.Server != types.GroupServer {
		return t.to
	}
	if by.IsEmpty() {
		by = t.client.Store.GetLID().ToNonAD()
	}
	if p, err := whatsapp.PersonOf(ctx, t.client.Store.LIDs, by); err == nil && !p.LID.IsEmpty() {
		return p.LID
	}
	return by
}
