package store

import (
	"context"
	"time"

	"errand"
)

// InterruptTurn closes a turn as [Store.CloseTurn] does, but only while a
// message waits that no turn has taken: a turn that has taken them all is
// answering them, and must not be closed for them. It reports whether the turn
// is closed.
func (s *Store) InterruptTurn(ctx context.Context, key errand.SessionKey, owner errand.Owner, turn int, reason string) (bool, error) {
	closed := false
	err := s.write(ctx, string(key), func(t *tx) error {
		var one int
		// A reminder waits for the turn to end.
		waits, err := t.value(&one, `SELECT 1 FROM inbox WHERE session_key = ? AND turn IS NULL AND NOT superseded AND cause <> 'reminder' LIMIT 1`, key)
		closed = waits
		if err != nil || !waits {
			return err
		}
		return t.closeTurn(owner, turn, reason)
	})
	return closed, err
}

// StopTurn closes the open turn of a conversation with the tasks it waits for or
// has just asked for, and returns those. Where no turn is open, messages that
// wait for one are taken by a turn that is closed already.
func (s *Store) StopTurn(ctx context.Context, key errand.SessionKey) ([]errand.Task, error) {
	var closed []errand.Task
	err := s.write(ctx, string(key), func(t *tx) error {
		closed = nil
		row, found, err := current(t, key)
		if err != nil || !found {
			return err
		}
		owner := errand.Owner(row.ID)
		var turn int
		open, err := t.value(&turn, `SELECT turn FROM turns WHERE owner = ? AND open ORDER BY turn LIMIT 1`, owner)
		if err != nil {
			return err
		}
		if open {
			err := t.closeTurn(owner, turn, StoppedTurn)
			closed = t.closed
			return err
		}
		turn = row.Turns + 1
		n, err := t.exec(`UPDATE inbox SET owner = ?, turn = ?, step = 1 WHERE session_key = ? AND turn IS NULL AND NOT superseded AND cause <> 'reminder'`, owner, turn, key)
		if err != nil || n == 0 {
			return err
		}
		if err := t.closeUnopened(owner, turn, StoppedTurn); err != nil {
			return err
		}
		return t.announceStop(key, owner, turn)
	})
	return closed, err
}

// OpenTurns returns the conversations with a turn that was begun before and has
// no end: at work, or lost with its workflow.
func (s *Store) OpenTurns(ctx context.Context, before time.Time) ([]errand.SessionKey, error) {
	var rows []struct{ Key string }
	err := s.read(ctx).all(&rows, `SELECT DISTINCT sessions.key FROM turns JOIN sessions ON sessions.id = turns.owner
		WHERE turns.open AND turns.created < ? AND sessions.state <> 'ended'`, micros(before))
	keys := make([]errand.SessionKey, len(rows))
	for i, r := range rows {
		keys[i] = errand.SessionKey(r.Key)
	}
	return keys, err
}
