package store

import (
	"context"

	"errand"
)

// RunningSessions returns the keys of the sessions that are active: those whose
// workflow may be running.
func (s *Store) RunningSessions(ctx context.Context) ([]errand.SessionKey, error) {
	var rows []struct{ Key string }
	if err := s.read(ctx).all(&rows, `SELECT key FROM sessions WHERE state = ?`, SessionActive); err != nil {
		return nil, err
	}
	keys := make([]errand.SessionKey, len(rows))
	for i, r := range rows {
		keys[i] = errand.SessionKey(r.Key)
	}
	return keys, nil
}
