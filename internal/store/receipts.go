package store

import (
	"context"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// MessageText returns the current text of a message; empty if it is not stored.
func (s *Store) MessageText(ctx context.Context, r core.Route, messageID string) (string, error) {
	var text string
	_, err := s.read(ctx).Value(&text, `SELECT text FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND NOT deleted ORDER BY revision DESC LIMIT 1`,
		r.Channel, r.Account, r.Chat, messageID)
	return text, err
}

// SentAs returns the notification that an account sent as a message of a chat, under any of the
// chat's ids; false if it is not stored.
func (s *Store) SentAs(ctx context.Context, a core.Account, messageID string, chats ...string) (core.Notification, bool, error) {
	args := []any{a.Channel, a.Name, messageID}
	for _, chat := range chats {
		args = append(args, chat)
	}
	list, err := outboxWhere(s.read(ctx), `id IN (SELECT outbox FROM receipts WHERE channel = ? AND account = ? AND message_id = ? AND chat IN (`+sqldb.Placeholders(len(chats))+`)) LIMIT 1`, args...)
	if err != nil || len(list) == 0 {
		return core.Notification{}, false, err
	}
	return list[0], true, nil
}
