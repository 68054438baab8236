package store

import (
	"context"
	"time"
)

// A Cursor is the position in a chat up to which its messages are in the inbox.
type Cursor struct {
	Chat string
	// Last is the message with the highest number in the inbox. If the chat has none, Last is empty
	// and Since is when errand last sent something to the chat.
	Last  string
	Since time.Time
}

// Cursors returns a cursor for each chat of an account. It is for platforms that number
// messages over time and return the messages after a number. Chats to which errand has only
// sent messages are included, because messages from unknown people are not in the inbox.
func (s *Store) Cursors(ctx context.Context, channel, account string) ([]Cursor, error) {
	var rows []struct {
		Chat  string
		Last  string
		Since int64
	}
	// Ids are compared as numbers: the longer one is larger. An id that is not a number does
	// not come from the platform (a pressed button, a reminder).
	err := s.read(ctx).All(&rows, `SELECT chat, MAX(last) AS last, MAX(since) AS since FROM (
			SELECT chat, message_id AS last, 0 AS since FROM (
				SELECT chat, message_id, ROW_NUMBER() OVER (PARTITION BY chat ORDER BY LENGTH(message_id) DESC, message_id DESC) AS place
				FROM inbox WHERE channel = ? AND account = ? AND TRIM(message_id, '0123456789') = '' AND message_id <> '') AS numbered
			WHERE place = 1
			UNION ALL
			SELECT chat, '', MAX(created) FROM outbox WHERE channel = ? AND account = ? AND chat <> '' GROUP BY chat
		) AS known GROUP BY chat ORDER BY chat`, channel, account, channel, account)
	if err != nil {
		return nil, err
	}
	var list []Cursor
	for _, r := range rows {
		c := Cursor{Chat: r.Chat, Last: r.Last}
		if c.Last == "" {
			c.Since = at(r.Since)
		}
		list = append(list, c)
	}
	return list, nil
}
