package store

import (
	"context"
)

// MoveChat records that a chat has a new id on its platform. Sessions, deliveries and origins
// keep the first id that errand knew, also if the chat moves again.
func (s *Store) MoveChat(ctx context.Context, channel, account, from, to string) error {
	if from == to {
		return nil
	}
	return s.write(ctx, "", func(t *tx) error {
		n, err := t.Exec(`UPDATE moved_chats SET moved_to = ? WHERE channel = ? AND account = ? AND moved_to = ?`, to, channel, account, from)
		if err != nil || n > 0 {
			return err
		}
		_, err = t.Exec(`INSERT INTO moved_chats (channel, account, chat, moved_to) VALUES (?, ?, ?, ?)
			ON CONFLICT (channel, account, chat) DO UPDATE SET moved_to = excluded.moved_to`, channel, account, from, to)
		return err
	})
}

// ChatNow returns the current platform id of a chat, given its first id.
func (s *Store) ChatNow(ctx context.Context, channel, account, chat string) (string, error) {
	now := chat
	_, err := s.read(ctx).Value(&now, `SELECT moved_to FROM moved_chats WHERE channel = ? AND account = ? AND chat = ?`, channel, account, chat)
	return now, err
}

// ChatFirst returns the first id of a chat, given its current platform id.
func (s *Store) ChatFirst(ctx context.Context, channel, account, chat string) (string, error) {
	first := chat
	_, err := s.read(ctx).Value(&first, `SELECT chat FROM moved_chats WHERE channel = ? AND account = ? AND moved_to = ?`, channel, account, chat)
	return first, err
}
