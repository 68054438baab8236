package store

import (
	"context"
	"time"

	"errand/internal/core"
)

// A Progress is the message in a chat that shows the progress of the tasks of a turn.
type Progress struct {
	Message string // the platform's id; empty: not known
	Shown   string // identifies the shown text; the caller defines it
	Open    bool   // the message may still change
}

// TurnTasks returns the tasks that a turn of a session has delegated, in the order of their calls.
func (s *Store) TurnTasks(ctx context.Context, session core.SessionID, turn int) ([]core.Task, error) {
	return tasksWhere(s.read(ctx), `caller_owner = ? AND caller_owner <> '' AND caller_turn = ? ORDER BY caller_step, caller_idx`,
		core.SessionOwner(session), turn)
}

// ProgressTasks returns the open tasks of the turn that a progress message shows; none for
// other messages.
func (s *Store) ProgressTasks(ctx context.Context, key core.SessionKey, message string) ([]core.Task, error) {
	return tasksWhere(s.read(ctx), `caller_owner <> '' AND (caller_owner, caller_turn) IN (
		SELECT progress.owner, progress.turn FROM progress JOIN sessions ON sessions.id = progress.owner WHERE sessions.key = ? AND progress.message = ?)
		AND `+open+` ORDER BY caller_step, caller_idx`, key, message)
}

// ProgressTurns returns the turns with a progress message that may still have to change.
func (s *Store) ProgressTurns(ctx context.Context, session core.SessionID) ([]int, error) {
	var turns []int
	owner := core.SessionOwner(session)
	err := s.read(ctx).All(&turns, `SELECT caller_turn FROM tasks WHERE session = ? AND `+open+` AND caller_owner = ?
		UNION SELECT turn FROM progress WHERE owner = ? AND open ORDER BY 1`, session, owner, owner)
	return turns, err
}

// ProgressSessions returns the sessions with a progress message that may still change.
func (s *Store) ProgressSessions(ctx context.Context) ([]core.SessionID, error) {
	var sessions []core.SessionID
	err := s.read(ctx).All(&sessions, `SELECT DISTINCT owner FROM progress WHERE open`)
	return sessions, err
}

// Progress returns the progress message of a turn; false if it has none.
func (s *Store) Progress(ctx context.Context, session core.SessionID, turn int) (Progress, bool, error) {
	var row Progress
	found, err := s.read(ctx).Row(&row, `SELECT message, shown, open FROM progress WHERE owner = ? AND turn = ?`, session, turn)
	return row, found, err
}

// ClaimProgress lets one caller at a time send or change the progress message of a turn, for
// the lease or until the time that NoteProgress sets. It returns the message, or how long to
// wait; 0 if the message will not change any more. If the sender of a first message died, the
// message may be in the chat or not: ClaimProgress gives it up rather than send it twice.
func (s *Store) ClaimProgress(ctx context.Context, session core.SessionID, turn int, lease time.Duration) (p Progress, claimed bool, wait time.Duration, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		p, claimed, wait = Progress{Open: true}, false, 0
		until := t.now + lease.Microseconds()
		n, err := t.Exec(`INSERT INTO progress (owner, turn, wait_until) SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT) FROM sessions WHERE id = ? ON CONFLICT DO NOTHING`, turn, until, session)
		if claimed = n == 1; err != nil || claimed {
			return err
		}
		var row struct {
			Progress
			WaitUntil int64
		}
		found, err := t.Row(&row, `SELECT message, shown, open, wait_until FROM progress WHERE owner = ? AND turn = ?`, session, turn)
		switch {
		case err != nil || !found || !row.Open:
			return err
		case row.WaitUntil > t.now:
			wait = time.Duration(row.WaitUntil-t.now) * time.Microsecond
			return nil
		case row.Message == "":
			_, err := t.Exec(`UPDATE progress SET open = FALSE WHERE owner = ? AND turn = ? AND message = '' AND wait_until = ?`, session, turn, row.WaitUntil)
			return err
		}
		// Two callers may have read the same row. The second one finds another time than it read.
		n, err = t.Exec(`UPDATE progress SET wait_until = ? WHERE owner = ? AND turn = ? AND wait_until = ?`, until, session, turn, row.WaitUntil)
		p, claimed = row.Progress, n == 1
		if !claimed {
			wait = lease
		}
		return err
	})
	return p, claimed, wait, err
}

// NoteProgress stores the state of a claimed message, and for how long it may not change again.
func (s *Store) NoteProgress(ctx context.Context, session core.SessionID, turn int, p Progress, wait time.Duration) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE progress SET message = ?, shown = ?, open = ?, wait_until = ? WHERE owner = ? AND turn = ?`,
			p.Message, p.Shown, p.Open, t.now+wait.Microseconds(), session, turn)
		return err
	})
}

// DropProgress releases a claimed message that was not sent.
func (s *Store) DropProgress(ctx context.Context, session core.SessionID, turn int) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM progress WHERE owner = ? AND turn = ? AND message = ''`, session, turn)
		return err
	})
}

// AtWork reports whether a turn is open and the installation is not paused.
func (s *Store) AtWork(ctx context.Context, session core.SessionID, turn int) (bool, error) {
	row, found, err := turnOf(s.read(ctx), core.SessionOwner(session), turn)
	if err != nil || !found || !row.Open {
		return false, err
	}
	if held, err := s.Paused(ctx); err != nil || held {
		return false, err
	}
	var one int
	down, err := s.read(ctx).Value(&one, `SELECT 1 FROM reservations WHERE owner = ? AND turn = ? AND tried > 0 LIMIT 1`, core.SessionOwner(session), turn)
	return !down, err
}

// TurnMessages returns the platform's ids of the messages that a turn has taken.
func (s *Store) TurnMessages(ctx context.Context, session core.SessionID, turn int) ([]string, error) {
	var ids []string
	err := s.read(ctx).All(&ids, `SELECT message_id FROM inbox WHERE owner = ? AND turn = ? AND turn IS NOT NULL AND cause = 'message' ORDER BY id`,
		core.SessionOwner(session), turn)
	return ids, err
}
