package store

import (
	"context"

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
		waits, err := t.value(&one, `SELECT 1 FROM inbox WHERE session_key = ? AND turn IS NULL AND NOT superseded LIMIT 1`, key)
		closed = waits
		if err != nil || !waits {
			return err
		}
		return t.closeTurn(owner, turn, reason)
	})
	return closed, err
}
