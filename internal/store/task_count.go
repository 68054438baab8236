package store

import (
	"context"

	"errand"
)

// TaskCounts counts the tasks that f lets pass by their state, those without any too. f's
// states and limit do not count. Where f has nothing but a person, an index has it all.
func (s *Store) TaskCounts(ctx context.Context, f TaskFilter) (map[errand.TaskState]int, error) {
	f.States = nil
	where, args := f.where()
	var rows []struct {
		State string
		N     int
	}
	if err := s.read(ctx).All(&rows, `SELECT state, COUNT(*) AS n FROM tasks WHERE `+where+` GROUP BY state`, args...); err != nil {
		return nil, err
	}
	counts := map[errand.TaskState]int{}
	for _, state := range errand.TaskStates() {
		counts[state] = 0
	}
	for _, r := range rows {
		counts[errand.TaskState(r.State)] = r.N
	}
	return counts, nil
}
