package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

const mostWaiting = 100

const waitsForTurn = `session_key = ? AND turn IS NULL AND NOT superseded AND cause = 'message'`

type waitingRow struct {
	ID        int64
	MessageID string
	Text      string
	Created   int64
}

// WaitingMessages returns the messages of a conversation that no turn has taken, oldest first.
func (s *Store) WaitingMessages(ctx context.Context, key core.SessionKey) ([]core.WaitingMessage, error) {
	var rows []waitingRow
	err := s.read(ctx).All(&rows, `SELECT id, message_id, text, created FROM inbox WHERE `+waitsForTurn+` ORDER BY id LIMIT ?`, key, mostWaiting)
	list := make([]core.WaitingMessage, len(rows))
	for i, r := range rows {
		list[i] = core.WaitingMessage{ID: r.MessageID, Text: r.Text, Created: at(r.Created)}
	}
	return list, err
}

// EditWaiting changes the text of a message in the inbox and in the log, and announces the
// change. It fails with ErrClosed if a turn has taken the message, and with ErrNotFound if
// there is no such message.
func (s *Store) EditWaiting(ctx context.Context, key core.SessionKey, messageID, text string) error {
	return s.changeWaiting(ctx, key, messageID, func(t *tx, r waitingRow) error {
		if r.Text == text {
			return nil
		}
		if _, err := t.Exec(`UPDATE inbox SET text = ? WHERE id = ?`, text, r.ID); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE events SET text = ? WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message'`, text, key, messageID); err != nil {
			return err
		}
		return t.announceFrom(core.Event{Type: core.EventMessage, Key: key, Message: messageID, Text: text, Cause: core.Edited}, r.Created)
	})
}

// Withdraw deletes a message of a conversation with its attachments and outputs. It fails with
// ErrClosed if a turn has taken the message or if the message replaces a turn, and with
// ErrNotFound if there is no such message.
func (s *Store) Withdraw(ctx context.Context, key core.SessionKey, messageID string) error {
	return s.changeWaiting(ctx, key, messageID, func(t *tx, r waitingRow) error {
		var one int
		replaces, err := t.Value(&one, `SELECT 1 FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message' AND turn > 0 LIMIT 1`, key, messageID)
		if err == nil && replaces {
			err = fmt.Errorf("message %q replaces a turn: %w", messageID, ErrClosed)
		}
		if err != nil {
			return err
		}
		if err := t.returnOutputs(`id = ?`, key, r.ID); err != nil {
			return err
		}
		if err := t.empty(r.ID); err != nil {
			return err
		}
		// This cancels the transcription of its voice notes, if one has begun.
		if err := t.release(`step = ? AND owner IN (SELECT id FROM sessions WHERE key = ? AND state <> 'ended')`, -r.ID, key); err != nil {
			return err
		}
		if _, err := t.Exec(`UPDATE events SET text = '', attached = '' WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message'`, key, messageID); err != nil {
			return err
		}
		return t.announceFrom(core.Event{Type: core.EventMessage, Key: key, Message: messageID, Cause: core.Withdrawn}, r.Created)
	})
}

func (s *Store) changeWaiting(ctx context.Context, key core.SessionKey, messageID string, change func(*tx, waitingRow) error) error {
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
