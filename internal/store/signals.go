package store

import (
	"context"
	"iter"
	"time"

	"errand"
)

// A WaitingSession has messages that no turn has taken.
type WaitingSession struct {
	Key errand.SessionKey
	// Signalled is when the watchdog last told its workflow of all of them; zero:
	// of some it has not.
	Signalled time.Time
	Last      int64 // of the rows that wait
}

// An UndecidedTask has an outcome whose way is not decided.
type UndecidedTask struct {
	errand.Task
	// Signalled is when the watchdog last told whoever asked for it; zero: never.
	Signalled time.Time
}

// WaitingSessions returns the sessions with messages, accepted before the given
// time, that no turn has taken.
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
			waiting[i] = WaitingSession{errand.SessionKey(r.SessionKey), at(r.Signalled), r.Last}
		}
		return waiting, err
	})
}

// NoteSessionSignalled notes that the workflow of a session was told of what
// waits for it.
func (s *Store) NoteSessionSignalled(ctx context.Context, w WaitingSession) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE inbox SET signalled = ? WHERE session_key = ? AND turn IS NULL AND NOT superseded AND id <= ?`,
			t.now, w.Key, w.Last)
		return err
	})
}

// UndecidedTasks returns tasks that ended before the given time and whose way is not
// decided, without their words.
func (s *Store) UndecidedTasks(ctx context.Context, before time.Time) iter.Seq2[UndecidedTask, error] {
	return paginate(func(after *UndecidedTask) ([]UndecidedTask, error) {
		where, args := wayUndecided+` AND finished < ?`, []any{micros(before)}
		if after != nil {
			// By the index of those that are not told.
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
		signalled := make(map[errand.TaskID]time.Time, len(rows))
		for _, r := range rows {
			signalled[errand.TaskID(r.ID)] = at(r.Signalled)
		}
		found := make([]UndecidedTask, len(tasks))
		for i, t := range tasks {
			found[i] = UndecidedTask{t, signalled[t.ID]}
		}
		return found, nil
	})
}

// NoteTaskSignalled notes that whoever asked for a task was told that it has its
// outcome.
func (s *Store) NoteTaskSignalled(ctx context.Context, id errand.TaskID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE tasks SET signalled = ? WHERE id = ?`, t.now, id)
		return err
	})
}
