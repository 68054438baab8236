package store

import (
	"context"

	"errand/internal/core"
)

// TaskDeliveries returns at most 100 deliveries of a task, oldest first: its results and
// questions, and the reply that reported its outcome, if a turn did.
func (s *Store) TaskDeliveries(ctx context.Context, t core.Task) ([]core.Notification, error) {
	where, args := `(task = ? AND task <> '')`, []any{t.ID}
	if t.ToldBy != "" {
		where, args = where+` OR key = ?`, append(args, t.ToldBy)
	}
	return outboxWhere(s.read(ctx), `(`+where+`) ORDER BY id LIMIT 100`, args...)
}
