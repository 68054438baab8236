package store

import (
	"context"

	"errand"
)

// waitingFromPeople is the condition of what somebody wrote and no turn has taken. A
// reminder is none: it waits for the turn to end.
const waitingFromPeople = `turn IS NULL AND NOT superseded AND cause <> 'reminder'`

// InterruptTurn closes a turn as [Store.CloseTurn] does, but only while a
// message waits that the turn does not take: one that has not begun takes it when
// it does, and one that has taken them all is answering them. It reports whether
// the turn is closed.
func (s *Store) InterruptTurn(ctx context.Context, key errand.SessionKey, owner errand.Owner, turn int, reason string) (bool, error) {
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

// A Stopped is what was ended.
type Stopped struct {
	Session errand.SessionID
	Turn    int           // that is closed now, or was before and may not know yet; 0: none
	Tasks   []errand.Task // that ended with it
	Any     bool          // there was something to end
}

// StopTurn closes the open turn of a conversation with the tasks it waits for or
// has just asked for. Where no turn is open, messages that wait for one are taken
// by a turn that is closed already.
//
// Of a conversation that several share it ends, with whose, what that person has
// asked for: a turn that answers nobody else, and messages that wait.
func (s *Store) StopTurn(ctx context.Context, key errand.SessionKey, whose errand.PersonID) (Stopped, error) {
	var out Stopped
	err := s.writeStop(ctx, string(key), func(t *tx) error {
		if err := t.stopTurn(key, whose, &out); err != nil || !out.Any {
			return err
		}
		return t.audit(DeedStop, did{"session", string(out.Session), personOf(key), ""})
	})
	return out, err
}

func (t *tx) stopTurn(key errand.SessionKey, whose errand.PersonID, out *Stopped) error {
	row, found, err := current(t, key)
	*out = Stopped{Session: errand.SessionID(row.ID)}
	if err != nil || !found {
		return err
	}
	owner := errand.Owner(row.ID)
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

func (t *tx) stopWaiting(key errand.SessionKey, owner errand.Owner, turn int, out *Stopped) error {
	if err := t.returnOutputs(waitingFromPeople, key); err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE inbox SET owner = ?, turn = ?, step = 1 WHERE session_key = ? AND `+waitingFromPeople, owner, turn, key)
	if err != nil {
		return err
	}
	if n == 0 {
		// It may be that somebody stopped the last one and died before it was told.
		_, err := t.Value(&out.Turn, `SELECT turn FROM turns WHERE owner = ? AND turn = ? AND reason = ?`, owner, turn-1, StoppedTurn)
		return err
	}
	// The turn that was about to take it may be busy with it already: it is told.
	out.Any, out.Turn = true, turn
	if err := t.closeUnopened(owner, turn, StoppedTurn); err != nil {
		return err
	}
	return t.announceStop(key, owner, turn)
}

// dropWaiting lets no turn take what one of those who share a conversation wrote
// and nobody has taken yet.
func (t *tx) dropWaiting(key errand.SessionKey, whose errand.PersonID, out *Stopped) error {
	// Not by an index of whose it is: few wait, and a person has written much.
	const theirs = `person || '' = ? AND ` + waitingFromPeople
	if err := t.returnOutputs(theirs, key, whose); err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE inbox SET superseded = TRUE WHERE session_key = ? AND `+theirs, key, whose)
	out.Any = n > 0
	return err
}

// onlyFor reports whether a turn answers one person, and nobody else.
func (t *tx) onlyFor(owner errand.Owner, turn int, whose errand.PersonID) (bool, error) {
	var one int
	others, err := t.Value(&one, `SELECT 1 FROM turns WHERE owner = ? AND turn = ? AND person <> ?
		UNION ALL SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND turn IS NOT NULL AND person <> ?
		UNION ALL SELECT 1 FROM tasks WHERE told_by = ? AND told_by <> '' AND person <> ? LIMIT 1`,
		owner, turn, whose, owner, turn, whose, turnKey(owner, turn), whose)
	return !others, err
}
