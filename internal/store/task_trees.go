package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

const mostInTrees = 1000

// TaskTrees returns the whole trees of the latest matching tasks, as one list, newest first.
// matches has the ids of the matching tasks, up to f's limit.
func (s *Store) TaskTrees(ctx context.Context, f TaskFilter) (tasks []core.Task, matches []core.TaskID, err error) {
	q := s.read(ctx)
	found, err := f.page(q)
	if err != nil {
		return nil, nil, err
	}
	there := map[core.TaskID]bool{}
	add := func(list []core.Task) (added []core.Task) {
		for _, t := range list {
			if !there[t.ID] && len(tasks) < mostInTrees {
				there[t.ID] = true
				tasks, added = append(tasks, t), append(added, t)
			}
		}
		return added
	}
	for _, t := range found {
		matches = append(matches, t.ID)
	}
	for up := add(found); len(up) > 0; {
		var parents []core.TaskID
		for _, t := range up {
			if t.Parent != "" && !there[t.Parent] {
				parents = append(parents, t.Parent)
			}
		}
		above, err := tasksByKeys(q, `id IN`, parents)
		if err != nil {
			return nil, nil, err
		}
		up = add(above)
	}
	for level := slices.Clone(tasks); len(level) > 0; {
		ids := make([]core.TaskID, len(level))
		for i, t := range level {
			ids[i] = t.ID
		}
		below, err := tasksByKeys(q, `parent <> '' AND parent IN`, ids)
		if err != nil {
			return nil, nil, err
		}
		level = add(below)
	}
	slices.SortStableFunc(tasks, func(a, b core.Task) int {
		if c := b.Created.Compare(a.Created); c != 0 {
			return c
		}
		return strings.Compare(string(a.ID), string(b.ID))
	})
	return tasks, matches, nil
}

func tasksByKeys(q sqldb.Querier, condition string, ids []core.TaskID) ([]core.Task, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	args := make([]any, len(ids))
	for i, id := range ids {
		args[i] = id
	}
	return tasksWhere(q, condition+` (`+sqldb.Placeholders(len(ids))+`) ORDER BY created, id`, args...)
}

// A Stint is a period in which an agent worked on a task.
type Stint struct {
	Task  core.TaskID
	Agent core.AgentName
	Begun time.Time
	Ended time.Time // zero: it is working
}

// Stints returns the stints of the agents of some tasks, earliest first. Tasks with deleted
// transcripts have none.
func (s *Store) Stints(ctx context.Context, tasks []core.Task) ([]Stint, error) {
	owners := transcriptsOf(tasks)
	if len(owners) == 0 {
		return nil, nil
	}
	var rows []struct {
		Owner   string
		Created int64
		Closed  int64
	}
	err := s.read(ctx).All(&rows, `SELECT owner, created, closed FROM turns WHERE owner IN (`+sqldb.Placeholders(len(owners))+`) AND turn > 0 ORDER BY created, owner, turn`, owners...)
	if err != nil {
		return nil, err
	}
	stints := make([]Stint, 0, len(rows))
	for _, r := range rows {
		task, agent, ok := core.Owner(r.Owner).Task()
		if ok {
			stints = append(stints, Stint{Task: task, Agent: agent, Begun: at(r.Created), Ended: at(r.Closed)})
		}
	}
	return stints, nil
}

func likePattern(text string) string {
	return "%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%"
}
