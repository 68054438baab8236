package store

import (
	"context"
	"time"
)

// A Cursor is how far the messages of a chat have come in.
type Cursor struct {
	Chat string
	// Last is the message with the highest number that is in the inbox; empty:
	// none, and then Since is when something was last told there.
	Last  string
	Since time.Time
}

// Cursors returns how far each chat of an account has come in, for platforms that
// number messages over time and have them asked for what came after one. Chats
// that were only told something are among them: somebody who is not known yet has
// no row in the inbox.
func (s *Store) Cursors(ctx context.Context, channel, account string) ([]Cursor, error) {
	var rows []struct {
		Chat  string
		Last  string
		Since int64
	}
	// Numbers are compared as numbers: the longer is the larger. What is no number
	// is not the platform's (a button that was pressed, a reminder).
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
