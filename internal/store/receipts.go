package store

import (
	"context"

	"errand"
	"errand/internal/store/sqldb"
)

// MessageText returns the words of a message that somebody wrote, as it reads now; none
// if they are not kept, or were taken back.
func (s *Store) MessageText(ctx context.Context, r errand.Route, messageID string) (string, error) {
	var text string
	_, err := s.read(ctx).Value(&text, `SELECT text FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND NOT deleted ORDER BY revision DESC LIMIT 1`,
		r.Channel, r.Account, r.Chat, messageID)
	return text, err
}

// SentAs returns what an account sent as a message of a chat, by any of the names
// of the chat; false if it is not kept.
func (s *Store) SentAs(ctx context.Context, a errand.Account, messageID string, chats ...string) (errand.Notification, bool, error) {
	args := []any{a.Channel, a.Name, messageID}
	for _, chat := range chats {
		args = append(args, chat)
	}
	list, err := outboxWhere(s.read(ctx), `id IN (SELECT outbox FROM receipts WHERE channel = ? AND account = ? AND message_id = ? AND chat IN (`+sqldb.Placeholders(len(chats))+`)) LIMIT 1`, args...)
	if err != nil || len(list) == 0 {
		return errand.Notification{}, false, err
	}
	return list[0], true, nil
}
