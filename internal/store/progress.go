package store

import (
	"context"
	"time"

	"errand"
)

// A Progress is the message in a chat that shows how far the tasks of a turn of
// a session are.
type Progress struct {
	Message string // the platform's id of it; empty: not known
	Shown   string // of what it says: whatever the caller noted
	Open    bool   // it may change
}

// TurnTasks returns the tasks that a turn of a session has delegated, in order.
func (s *Store) TurnTasks(ctx context.Context, session errand.SessionID, turn int) ([]errand.Task, error) {
	return tasksWhere(s.read(ctx), `caller_owner = ? AND caller_owner <> '' AND caller_turn = ? ORDER BY caller_step, caller_idx`,
		errand.SessionOwner(session), turn)
}

// ProgressTasks returns the tasks at work of the turn whose message the given one is, in
// the chat of a session; none if it is no such message.
func (s *Store) ProgressTasks(ctx context.Context, key errand.SessionKey, message string) ([]errand.Task, error) {
	return tasksWhere(s.read(ctx), `caller_owner <> '' AND (caller_owner, caller_turn) IN (
		SELECT progress.owner, progress.turn FROM progress JOIN sessions ON sessions.id = progress.owner WHERE sessions.key = ? AND progress.message = ?)
		AND `+open+` ORDER BY caller_step, caller_idx`, key, message)
}

// ProgressTurns returns the turns of a session whose tasks have not all ended, or
// whose message does not say so yet.
func (s *Store) ProgressTurns(ctx context.Context, session errand.SessionID) ([]int, error) {
	var turns []int
	owner := errand.SessionOwner(session)
	err := s.read(ctx).All(&turns, `SELECT caller_turn FROM tasks WHERE session = ? AND `+open+` AND caller_owner = ?
		UNION SELECT turn FROM progress WHERE owner = ? AND open ORDER BY 1`, session, owner, owner)
	return turns, err
}

// ProgressSessions returns the sessions that have a message that may change.
func (s *Store) ProgressSessions(ctx context.Context) ([]errand.SessionID, error) {
	var sessions []errand.SessionID
	err := s.read(ctx).All(&sessions, `SELECT DISTINCT owner FROM progress WHERE open`)
	return sessions, err
}

// Progress returns the message of a turn; false if there is none.
func (s *Store) Progress(ctx context.Context, session errand.SessionID, turn int) (Progress, bool, error) {
	var row Progress
	found, err := s.read(ctx).Row(&row, `SELECT message, shown, open FROM progress WHERE owner = ? AND turn = ?`, session, turn)
	return row, found, err
}

// ClaimProgress lets one caller at a time send or change the message of a turn:
// nobody else may before lease is over, or what NoteProgress says. It returns the
// message, or how long the caller has to wait; 0 if it will not change any more.
//
// A message that was being sent for the first time by somebody who never came
// back may be in the chat or not: it is given up, rather than sent twice.
func (s *Store) ClaimProgress(ctx context.Context, session errand.SessionID, turn int, lease time.Duration) (p Progress, claimed bool, wait time.Duration, err error) {
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
		// Two may have read the same row: the second finds another time in it.
		n, err = t.Exec(`UPDATE progress SET wait_until = ? WHERE owner = ? AND turn = ? AND wait_until = ?`, until, session, turn, row.WaitUntil)
		p, claimed = row.Progress, n == 1
		if !claimed {
			wait = lease
		}
		return err
	})
	return p, claimed, wait, err
}

// NoteProgress notes what has become of a message that the caller has claimed,
// and how long nobody may change it again.
func (s *Store) NoteProgress(ctx context.Context, session errand.SessionID, turn int, p Progress, wait time.Duration) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE progress SET message = ?, shown = ?, open = ?, wait_until = ? WHERE owner = ? AND turn = ?`,
			p.Message, p.Shown, p.Open, t.now+wait.Microseconds(), session, turn)
		return err
	})
}

// DropProgress notes that a message that the caller has claimed was not sent.
func (s *Store) DropProgress(ctx context.Context, session errand.SessionID, turn int) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM progress WHERE owner = ? AND turn = ? AND message = ''`, session, turn)
		return err
	})
}

// AtWork reports whether a turn of a session is being worked on: it is open, and
// the installation is not paused.
func (s *Store) AtWork(ctx context.Context, session errand.SessionID, turn int) (bool, error) {
	row, found, err := turnOf(s.read(ctx), errand.SessionOwner(session), turn)
	if err != nil || !found || !row.Open {
		return false, err
	}
	held, err := s.Paused(ctx)
	return !held, err
}

// TurnMessages returns the platform's ids of the messages that a turn has taken.
func (s *Store) TurnMessages(ctx context.Context, session errand.SessionID, turn int) ([]string, error) {
	var ids []string
	err := s.read(ctx).All(&ids, `SELECT message_id FROM inbox WHERE owner = ? AND turn = ? AND turn IS NOT NULL AND cause = 'message' ORDER BY id`,
		errand.SessionOwner(session), turn)
	return ids, err
}
