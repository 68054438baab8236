package store

import (
	"context"

	"errand/internal/core"
)

// waitingFromPeople excludes reminders, which wait for the end of the turn.
const waitingFromPeople = `turn IS NULL AND NOT superseded AND cause <> 'reminder'`

// InterruptTurn closes a turn as [Store.CloseTurn] does, but only if the turn has begun and a
// message waits that it has not taken. A turn that has not begun will take the message. It
// reports whether the turn is closed.
func (s *Store) InterruptTurn(ctx context.Context, key core.SessionKey, owner core.Owner, turn int, reason string) (bool, error) {
	closed := false
	err := s.write(ctx, string(key), func(t *tx) error {
		_, begun, err := turnOf(t, owner, turn)
		if closed = false; err != nil || !begun {
			return err
		}
		var one int
		closed, err = t.Value(&one, `SELECT 1 FROM inbox WHERE session_key = ? AND `+waitingFromPeople+` LIMIT 1`, key)
		if err != nil || !closed {
			return err
		}
		return t.closeTurn(owner, turn, reason)
	})
	return closed, err
}

// A Stopped is the result of [Store.StopTurn].
type Stopped struct {
	Session core.SessionID
	Turn    int         // the turn that was stopped now, or earlier without a signal; 0: none
	Tasks   []core.Task // tasks that ended with the turn
	Any     bool        // there was something to stop
}

// StopTurn closes the open turn of a conversation, the tasks for which it waits, and the tasks
// it requested that have not begun. If no turn is open, it assigns the waiting messages to a
// turn that is already closed. In a shared conversation, set whose to limit it to that person's
// messages and to a turn that answers only that person.
func (s *Store) StopTurn(ctx context.Context, key core.SessionKey, whose core.PersonID) (Stopped, error) {
	var out Stopped
	err := s.writeBy(ctx, s.db.WriteStop, string(key), func(t *tx) error {
		if err := t.stopTurn(key, whose, &out); err != nil || !out.Any {
			return err
		}
		return t.audit(core.DeedStop, did{"session", string(out.Session), personOf(key), ""})
	})
	return out, err
}

func (t *tx) stopTurn(key core.SessionKey, whose core.PersonID, out *Stopped) error {
	row, found, err := current(t, key)
	*out = Stopped{Session: core.SessionID(row.ID)}
	if err != nil || !found {
		return err
	}
	owner := core.Owner(row.ID)
	if whose != "" {
		if err := t.dropWaiting(key, whose, out); err != nil {
			return err
		}
	}
	var turn int
	open, err := t.Value(&turn, `SELECT turn FROM turns WHERE owner = ? AND open ORDER BY turn LIMIT 1`, owner)
	if err != nil {
		return err
	}
	switch {
	case open && whose != "":
		theirs, err := t.onlyFor(owner, turn, whose)
		if err != nil || !theirs {
			return err
		}
	case whose != "":
		return nil
	case !open:
		return t.stopWaiting(key, owner, row.Turns+1, out)
	}
	err = t.closeTurn(owner, turn, StoppedTurn)
	out.Turn, out.Tasks, out.Any = turn, t.closed, true
	return err
}

func (t *tx) stopWaiting(key core.SessionKey, owner core.Owner, turn int, out *Stopped) error {
	if err := t.returnOutputs(waitingFromPeople, key); err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE inbox SET owner = ?, turn = ?, step = 1 WHERE session_key = ? AND `+waitingFromPeople, owner, turn, key)
	if err != nil {
		return err
	}
	if n == 0 {
		// An earlier call may have stopped the last turn, and its worker died before it could
		// signal the workflow.
		_, err := t.Value(&out.Turn, `SELECT turn FROM turns WHERE owner = ? AND turn = ? AND reason = ?`, owner, turn-1, StoppedTurn)
		return err
	}
	// The turn that was about to take the messages may have begun its work: it gets a signal.
	out.Any, out.Turn = true, turn
	if err := t.closeUnopened(owner, turn, StoppedTurn); err != nil {
		return err
	}
	return t.announceStop(key, owner, turn)
}

func (t *tx) dropWaiting(key core.SessionKey, whose core.PersonID, out *Stopped) error {
	// The || prevents the use of the index on person: few messages wait, but a person has many.
	const theirs = `person || '' = ? AND ` + waitingFromPeople
	if err := t.returnOutputs(theirs, key, whose); err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE inbox SET superseded = TRUE WHERE session_key = ? AND `+theirs, key, whose)
	out.Any = n > 0
	return err
}

func (t *tx) onlyFor(owner core.Owner, turn int, whose core.PersonID) (bool, error) {
	var one int
	others, err := t.Value(&one, `SELECT 1 FROM turns WHERE owner = ? AND turn = ? AND person <> ?
		UNION ALL SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND turn IS NOT NULL AND person <> ?
		UNION ALL SELECT 1 FROM tasks WHERE told_by = ? AND told_by <> '' AND person <> ? LIMIT 1`,
		owner, turn, whose, owner, turn, whose, turnKey(owner, turn), whose)
	return !others, err
}
