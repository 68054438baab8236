package store

import (
	"context"

	"errand"
)

// TaskDeliveries returns the deliveries that belong to a task, the oldest first: its results
// and questions, and where the reply of a turn has told its outcome, that reply. At most 100.
func (s *Store) TaskDeliveries(ctx context.Context, t errand.Task) ([]errand.Notification, error) {
	where, args := `(task = ? AND task <> '')`, []any{t.ID}
	if t.ToldBy != "" {
		where, args = where+` OR key = ?`, append(args, t.ToldBy)
	}
	return outboxWhere(s.read(ctx), `(`+where+`) ORDER BY id LIMIT 100`, args...)
}
