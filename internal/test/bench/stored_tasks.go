package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"errand/api"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
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
		filter api.ListTasksInput
	}{
		{fmt.Sprintf("page of tasks, of %d", seedTasks), api.ListTasksInput{}},
		{"page of tasks, by state and agent", api.ListTasksInput{State: []core.TaskState{core.Failed}, TaskFilter: api.TaskFilter{Agent: "finn"}}},
		{"page of tasks, by words", api.ListTasksInput{TaskFilter: api.TaskFilter{Text: "trains 77"}}},
		{"page of tasks, before the middle", api.ListTasksInput{TaskFilter: api.TaskFilter{Before: api.DateOrTime{Time: time.Now().Add(-seedTasks / 2 * time.Minute)}}}},
	} {
		l.filter.Limit, l.filter.Tree = 100, true
		err := b.against(ctx, l.name, func() error {
			list, err := ops.Do(ctx, b.many.Service.Runner, api.ListTasks, b.by, l.filter)
			if err == nil && len(list.Items) == 0 {
				err = errors.New("there are no tasks")
			}
			if err != nil {
				return err
			}
			_, err = ops.Do(ctx, b.many.Service.Runner, api.CountTasks, b.by, l.filter.TaskFilter)
			return err
		}, `SELECT id, created FROM tasks ORDER BY created DESC LIMIT 100`)
		if err != nil {
			return err
		}
	}
	return nil
}
