package store

import (
	"context"
	"iter"
	"time"

	"errand/internal/core"
)

// A Signal is an object about which the watchdog signals a workflow: a [WaitingSession],
// [UndecidedTask], [OverdueTask], [UntakenMessage] or [ClosedQuestion].
type Signal interface{ noteSignal(t *tx) error }

// NoteSignalled records that the watchdog has signaled the workflow.
func (s *Store) NoteSignalled(ctx context.Context, what Signal) error {
	return s.write(ctx, "", what.noteSignal)
}

// A WaitingSession has messages that no turn has taken.
type WaitingSession struct {
	Key core.SessionKey
	// Signalled is when the watchdog last signaled its workflow about all of them; zero: not
	// about all.
	Signalled time.Time
	Last      int64 // the highest id of the waiting rows
}

// An UndecidedTask has an outcome whose way is not decided.
type UndecidedTask struct {
	core.Task
	// Signalled is when the watchdog last signaled the caller; zero: never.
	Signalled time.Time
}

// WaitingSessions returns the sessions with messages that were accepted before a time and that
// no turn has taken.
func (s *Store) WaitingSessions(ctx context.Context, before time.Time) iter.Seq2[WaitingSession, error] {
	return paginate(func(after *WaitingSession) ([]WaitingSession, error) {
		if after == nil {
			after = &WaitingSession{}
		}
		var rows []struct {
			SessionKey string
			Signalled  int64
			Last       int64
		}
		err := s.read(ctx).All(&rows, `SELECT session_key, MIN(signalled) AS signalled, MAX(id) AS last FROM inbox
			WHERE turn IS NULL AND NOT superseded AND session_key > ? AND created < ? GROUP BY session_key ORDER BY session_key LIMIT ?`,
			after.Key, micros(before), pageRows)
		waiting := make([]WaitingSession, len(rows))
		for i, r := range rows {
			waiting[i] = WaitingSession{core.SessionKey(r.SessionKey), at(r.Signalled), r.Last}
		}
		return waiting, err
	})
}

func (w WaitingSession) noteSignal(t *tx) error {
	_, err := t.Exec(`UPDATE inbox SET signalled = ? WHERE session_key = ? AND turn IS NULL AND NOT superseded AND id <= ?`, t.now, w.Key, w.Last)
	return err
}

// UndecidedTasks returns the undecided tasks that ended before a time, without their texts.
func (s *Store) UndecidedTasks(ctx context.Context, before time.Time) iter.Seq2[UndecidedTask, error] {
	return paginate(func(after *UndecidedTask) ([]UndecidedTask, error) {
		where, args := wayUndecided+` AND finished < ?`, []any{micros(before)}
		if after != nil {
			// This uses the index of undecided tasks.
			where += ` AND (session_key, finished, id) > (?, ?, ?)`
			args = append(args, after.Origin.SessionKey, micros(after.Finished), after.ID)
		}
		where += ` ORDER BY session_key, finished, id LIMIT ?`
		q := s.read(ctx)
		tasks, err := tasksOf(q, taskHead, where, append(args, pageRows)...)
		if err != nil || len(tasks) == 0 {
			return nil, err
		}
		var rows []struct {
			ID        string
			Signalled int64
		}
		first, last := tasks[0].Origin.SessionKey, tasks[len(tasks)-1].Origin.SessionKey
		err = q.All(&rows, `SELECT id, signalled FROM tasks WHERE `+wayUndecided+` AND signalled > 0 AND session_key BETWEEN ? AND ?`, first, last)
		if err != nil {
			return nil, err
		}
		signalled := make(map[core.TaskID]time.Time, len(rows))
		for _, r := range rows {
			signalled[core.TaskID(r.ID)] = at(r.Signalled)
		}
		found := make([]UndecidedTask, len(tasks))
		for i, t := range tasks {
			found[i] = UndecidedTask{t, signalled[t.ID]}
		}
		return found, nil
	})
}

func (u UndecidedTask) noteSignal(t *tx) error {
	_, err := t.Exec(`UPDATE tasks SET signalled = ? WHERE id = ?`, t.now, u.ID)
	return err
}
