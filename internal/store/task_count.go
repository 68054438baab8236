package store

import (
	"context"

	"errand/internal/core"
)

// TaskCounts returns the number of f's tasks by state, including zeros. It ignores f's states
// and limit. For a filter with only a person it reads only an index.
func (s *Store) TaskCounts(ctx context.Context, f TaskFilter) (map[core.TaskState]int, error) {
	f.States = nil
	where, args := f.where()
	var rows []struct {
		State string
		N     int
	}
	if err := s.read(ctx).All(&rows, `SELECT state, COUNT(*) AS n FROM tasks WHERE `+where+` GROUP BY state`, args...); err != nil {
		return nil, err
	}
	counts := map[core.TaskState]int{}
	for _, state := range core.TaskStates() {
		counts[state] = 0
	}
	for _, r := range rows {
		counts[core.TaskState(r.State)] = r.N
	}
	return counts, nil
}
