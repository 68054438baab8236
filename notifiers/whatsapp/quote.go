package whatsapp

import (
	"cmp"
	"context"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"google.golang.org/protobuf/proto"

	"errand"
	"errand/internal/platform/whatsapp"
)

// messages are what a notification is sent as. The first quotes what it answers.
func (w *Notifier) messages(ctx context.Context, t target, n errand.Notification) []*waE2E.Message {
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

// Rebuild returns what makes a message of ours once more, for a phone that could not
// open it; nil if it is not known any more. find returns, with the content of its file, the notification that was
// sent as a message to a chat, by any of the names of the chat.
func (w *Notifier) Rebuild(find func(ctx context.Context, id string, chats ...string) (errand.Notification, bool)) func(ctx context.Context, id types.MessageID, chats ...string) *waE2E.Message {
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
			if MessageID(n.Key, 0) != id || n.File.Data == nil {
				return nil
			}
			m, err := w.document(ctx, t, n)
			if err != nil {
				return nil
			}
			return m
		}
		for i, m := range w.messages(ctx, t, n) {
			if MessageID(n.Key, i) == id {
				return m
			}
		}
		return nil
	}
}

// longestQuote is how much of what is answered is shown again. A client shows the
// words that it gets with the answer, not those that it has.
const longestQuote = 300

func (w *Notifier) quote(ctx context.Context, t target, n errand.Notification) *waE2E.ContextInfo {
	id, by := whatsapp.ParseMessageID(n.ReplyTo)
	words := ""
	if w.MessageText != nil {
		r := n.Route
		r.Chat = cmp.Or(storedChat(n), r.Chat)
		// An answer without its quote is better than none.
		words, _ = w.MessageText(ctx, r, n.ReplyTo)
	}
	return &waE2E.ContextInfo{StanzaID: proto.String(id), Participant: proto.String(t.writer(ctx, by).String()),
		QuotedMessage: &waE2E.Message{Conversation: proto.String(errand.Cut(words, longestQuote))}}
}

// writer is who wrote a message, as it is known in the chat: in groups by LID.
// Who is not named is the other side of a direct chat, and in a group ourselves.
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
