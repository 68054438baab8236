package store

import (
	"context"
	"database/sql"

	"errand"
)

// Taken returns the turn that took a message, its latest revision; ok is false
// while none has.
func (s *Store) Taken(ctx context.Context, key errand.SessionKey, messageID string) (owner errand.Owner, turn int, ok bool, err error) {
	var row struct {
		Owner sql.NullString
		Turn  sql.NullInt64
	}
	found, err := s.read(ctx).row(&row, `SELECT owner, turn FROM inbox WHERE session_key = ? AND message_id = ? AND NOT superseded ORDER BY revision DESC LIMIT 1`, key, messageID)
	if err != nil || !found || !row.Turn.Valid {
		return "", 0, false, err
	}
	return errand.Owner(row.Owner.String), int(row.Turn.Int64), true, nil
}

// MessageEvent returns the id of the event that a message left in the log; 0 if
// there is none.
func (s *Store) MessageEvent(ctx context.Context, key errand.SessionKey, messageID string) (int64, error) {
	var row struct{ ID int64 }
	_, err := s.read(ctx).row(&row, `SELECT id FROM events WHERE session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message' ORDER BY id LIMIT 1`, key, messageID)
	return row.ID, err
}
