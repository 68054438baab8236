package store

import (
	"context"
	"fmt"
	"time"

	"errand"
)

// A WaitingMessage is one that a person wrote and that no turn has taken yet.
type WaitingMessage struct {
	ID      string    `json:"message_id"`
	Text    string    `json:"text"`
	Created time.Time `json:"created"`
}

const mostWaiting = 100

const waitsForTurn = `session_key = ? AND turn IS NULL AND NOT superseded AND cause = 'message'`

type waitingRow struct {
	ID        int64
	MessageID string
	Text      string
	Created   int64
}

// WaitingMessages returns the messages of a conversation that no turn has taken, in order.
func (s *Store) WaitingMessages(ctx context.Context, key errand.SessionKey) ([]WaitingMessage, error) {
	var rows []waitingRow
	err := s.read(ctx).All(&rows, `SELECT id, message_id, text, created FROM inbox WHERE `+waitsForTurn+` ORDER BY id LIMIT ?`, key, mostWaiting)
	list := make([]WaitingMessage, len(rows))
	for i, r := range rows {
		list[i] = WaitingMessage{ID: r.MessageID, Text: r.Text, Created: at(r.Created)}
	}
	return list, err
}

// EditWaiting gives a message of a conversation other words, as long as no turn has taken
// it: ErrClosed after that, ErrNotFound where there is none. The log has them in place of
// the first ones, and an event says so to whoever follows it.
func (s *Store) EditWaiting(ctx context.Context, key errand.SessionKey, messageID, text string) error {
	return s.changeWaiting(ctx, key, messageID, func(t *tx, r waitingRow) error {
		if r.Text == text {
			return nil
		}
		if _, err := t.Exec(`UPDATE inbox SET text = ? WHERE id = ?`, text, r.ID); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE events SET text = ? WHERE session_key = ? AND message_id = ? AND type = 'message'`, text, key, messageID); err != nil {
			return err
		}
		return t.announceFrom(errand.Event{Type: errand.EventMessage, Key: key, Message: messageID, Text: text, Cause: errand.Edited}, r.Created)
	})
}

// Withdraw takes back a message of a conversation with what came with it, as long as no
// turn has taken it: ErrClosed after that, ErrNotFound where there is none.
func (s *Store) Withdraw(ctx context.Context, key errand.SessionKey, messageID string) error {
	return s.changeWaiting(ctx, key, messageID, func(t *tx, r waitingRow) error {
		if err := t.returnOutputs(`id = ?`, key, r.ID); err != nil {
			return err
		}
		if err := t.empty(r.ID); err != nil {
			return err
		}
		// Nobody goes on with writing down its voice notes, if somebody had begun.
		if err := t.release(`step = ? AND owner IN (SELECT id FROM sessions WHERE key = ? AND state <> 'ended')`, -r.ID, key); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE events SET text = '', attached = '' WHERE session_key = ? AND message_id = ? AND type = 'message'`, key, messageID); err != nil {
			return err
		}
		return t.announceFrom(errand.Event{Type: errand.EventMessage, Key: key, Message: messageID, Cause: errand.Withdrawn}, r.Created)
	})
}

func (s *Store) changeWaiting(ctx context.Context, key errand.SessionKey, messageID string, change func(*tx, waitingRow) error) error {
	route, _, err := key.Parse()
	if err != nil {
		return err
	}
	return s.write(ctx, string(key), func(t *tx) error {
		var r waitingRow
		found, err := t.Row(&r, `SELECT id, message_id, text, created FROM inbox WHERE `+waitsForTurn+` AND message_id = ? ORDER BY id DESC LIMIT 1`, key, messageID)
		if err != nil {
			return err
		}
		if found {
			return change(t, r)
		}
		var one int
		if found, err = t.Value(&one, `SELECT 1 FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ?
			AND session_key = ? AND cause = 'message' AND NOT deleted LIMIT 1`, route.Channel, route.Account, inboxChat(route, key), messageID, key); err != nil {
			return err
		}
		if found {
			return fmt.Errorf("message %q: %w", messageID, ErrClosed)
		}
		return fmt.Errorf("message %q: %w", messageID, ErrNotFound)
	})
}
