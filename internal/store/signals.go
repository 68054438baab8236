package store

import (
	"context"
	"iter"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A WaitingSession has messages that no turn has taken.
type WaitingSession struct {
	Key errand.SessionKey
	// Signalled is when the watchdog last told its workflow of all of them; zero:
	// of some it has not.
	Signalled time.Time
	Last      int64 // of the rows that wait
}

// An UntoldTask has an outcome whose way is not decided.
type UntoldTask struct {
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
			WHERE turn IS NULL AND NOT superseded AND session_key > ? AND created < ? GROUP BY session_key ORDER BY session_key`+sqldb.Limit(pageRows),
			after.Key, micros(before))
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

// Untold returns tasks that ended before the given time and whose way is not
// decided: at most 1000, the oldest first.
func (s *Store) Untold(ctx context.Context, before time.Time) ([]UntoldTask, error) {
	q := s.read(ctx)
	tasks, err := tasksWhere(q, untold+` AND finished < ? ORDER BY finished LIMIT 1000`, micros(before))
	if err != nil || len(tasks) == 0 {
		return nil, err
	}
	var rows []struct {
		ID        string
		Signalled int64
	}
	err = q.All(&rows, `SELECT id, signalled FROM tasks WHERE `+untold+` AND signalled > 0 AND finished < ? ORDER BY finished LIMIT 1000`, micros(before))
	if err != nil {
		return nil, err
	}
	signalled := make(map[errand.TaskID]time.Time, len(rows))
	for _, r := range rows {
		signalled[errand.TaskID(r.ID)] = at(r.Signalled)
	}
	found := make([]UntoldTask, len(tasks))
	for i, t := range tasks {
		found[i] = UntoldTask{t, signalled[t.ID]}
	}
	return found, nil
}

// NoteTaskSignalled notes that whoever asked for a task was told that it has its
// outcome.
func (s *Store) NoteTaskSignalled(ctx context.Context, id errand.TaskID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE tasks SET signalled = ? WHERE id = ?`, t.now, id)
		return err
	})
}
