package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/service"
)

// seedTasks is how many tasks the owner of a seeded store has: in trees of four, all but a
// few over.
const seedTasks = 10_000

func addTasks(ctx context.Context, db *sql.DB, now time.Time) error {
	// A task in a hundred is at work; the fourth of four is the one that delegated the others.
	_, err := db.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ? - 1)
		INSERT INTO tasks (id, state, agents, from_agent, text, title, fingerprint, parent, origin, person, session_key, session, depth, conversation, result, created, finished, model_calls, tokens, cost)
		SELECT printf('t-%08d', i), CASE WHEN i % 100 = 0 THEN 'working' WHEN i % 7 = 0 THEN 'failed' ELSE 'completed' END,
			'["' || CASE WHEN i % 3 = 0 THEN 'finn' ELSE 'sasha' END || '"]', CASE WHEN i % 4 = 0 THEN '' ELSE 'sasha' END, 'compare the trains ' || i || hex(zeroblob(100)), 'compare the trains ' || i, '',
			CASE WHEN i % 4 = 0 THEN '' ELSE printf('t-%08d', i - i % 4) END,
			json_object('channel', 'web', 'account', 'local', 'chat', 'tasks', 'person', ?, 'role', 'master_admin', 'depth', 1), ?, '', '', CASE WHEN i % 4 = 0 THEN 1 ELSE 2 END, 'task:' || i, hex(zeroblob(500)),
			? - (? - i) * 60000000, ? - (? - i) * 60000000 + 30000000, 3, 4000, 0.01 FROM n`,
		seedTasks, app.Owner, app.Owner, now.UnixMicro(), seedTasks, now.UnixMicro(), seedTasks)
	return err
}

// tasks measures a page of tasks: what GET /api/tasks?tree=true and /api/tasks/counts read.
func (b *storedBench) tasks(ctx context.Context) error {
	for _, l := range []struct {
		name   string
		filter service.TaskFilter
	}{
		{fmt.Sprintf("page of tasks, of %d", seedTasks), service.TaskFilter{}},
		{"page of tasks, by state and agent", service.TaskFilter{States: []errand.TaskState{errand.Failed}, Agent: "finn"}},
		{"page of tasks, by words", service.TaskFilter{Text: "trains 77"}},
		{"page of tasks, before the middle", service.TaskFilter{Before: time.Now().Add(-seedTasks / 2 * time.Minute)}},
	} {
		l.filter.Limit = 100
		err := b.against(ctx, l.name, func() error {
			list, err := b.many.Service.TaskTrees(ctx, b.by, l.filter)
			if err == nil && len(list) == 0 {
				err = errors.New("there are no tasks")
			}
			if err != nil {
				return err
			}
			_, err = b.many.Service.CountTasks(ctx, b.by, l.filter)
			return err
		}, `SELECT id, created FROM tasks ORDER BY created DESC LIMIT 100`)
		if err != nil {
			return err
		}
	}
	return nil
}
