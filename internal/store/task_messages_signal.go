package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// An UntakenMessage is a message to a task that some of its working agents have not read.
type UntakenMessage struct {
	Row    int64
	Task   core.TaskID
	Agents []core.AgentName
	// Signalled is when the watchdog last signaled their workflows; zero: never.
	Signalled time.Time
}

type untakenRow struct {
	ID        int64
	Task      string
	Agents    string
	State     string
	Signalled int64
	Takes     int
}

// UntakenMessages returns unread messages to open tasks that were added before a time, without
// their texts.
func (s *Store) UntakenMessages(ctx context.Context, before time.Time) iter.Seq2[UntakenMessage, error] {
	q := s.read(ctx)
	rows := paginate(func(after *untakenRow) ([]untakenRow, error) {
		if after == nil {
			after = &untakenRow{}
		}
		var rows []untakenRow
		// This uses the index of open tasks with added messages.
		err := q.All(&rows, `SELECT m.id, m.task, t.agents, t.state, m.signalled,
			(SELECT COUNT(*) FROM task_message_takes k WHERE k.message = m.id) AS takes
			FROM tasks t JOIN task_messages m ON m.task = t.id
			WHERE t.added > 0 AND t.state IN ('submitted', 'working', 'input_required') AND m.continued_by = '' AND m.created < ? AND (t.id, m.id) > (?, ?)
			ORDER BY t.id, m.id LIMIT ?`, micros(before), after.Task, after.ID, pageRows)
		return rows, err
	})
	return func(yield func(UntakenMessage, error) bool) {
		for row, err := range rows {
			m, lacks := UntakenMessage{}, true
			if err == nil {
				m, lacks, err = row.untaken(q)
			}
			if (lacks || err != nil) && !yield(m, err) {
				return
			}
		}
	}
}

// untaken returns lacks false if no agent still has to read the message.
func (r untakenRow) untaken(q sqldb.Querier) (m UntakenMessage, lacks bool, err error) {
	task := core.Task{ID: core.TaskID(r.Task), State: core.TaskState(r.State)}
	if err := json.Unmarshal([]byte(r.Agents), &task.Agents); err != nil {
		return m, false, fmt.Errorf("agents of task %s: %w", r.Task, err)
	}
	if r.Takes >= len(task.Agents) {
		return m, false, nil
	}
	m = UntakenMessage{Row: r.ID, Task: task.ID, Signalled: at(r.Signalled)}
	for _, a := range task.Agents {
		var one int
		taken, err := q.Value(&one, `SELECT 1 FROM task_message_takes WHERE owner = ? AND message = ?`, core.SubAgentOwner(task.ID, a), r.ID)
		if err != nil {
			return m, false, err
		}
		atWork, err := works(q, &task, a)
		if err != nil {
			return m, false, err
		}
		if !taken && atWork {
			m.Agents = append(m.Agents, a)
		}
	}
	return m, len(m.Agents) > 0, nil
}

// ForgetTaskSignalled records that a task has a new workflow, which has got no signals yet.
func (s *Store) ForgetTaskSignalled(ctx context.Context, id core.TaskID) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		if _, err := t.Exec(`UPDATE tasks SET deadline_signalled = 0 WHERE id = ? AND deadline_signalled > 0`, id); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE task_messages SET signalled = 0 WHERE task = ? AND signalled > 0`, id)
		return err
	})
}

func (m UntakenMessage) noteSignal(t *tx) error {
	_, err := t.Exec(`UPDATE task_messages SET signalled = ? WHERE id = ?`, t.now, m.Row)
	return err
}
