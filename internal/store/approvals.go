package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand"
)

// BeginApproved returns the approval that a call waits for, or an empty one where it
// waits for none, and the approvals that are good for it besides, by the rule that asks
// only first. From then on what was approved counts as given to whoever asked: only this
// call runs by it. It fails as [Store.BeginTool] does.
func (s *Store) BeginApproved(ctx context.Context, key errand.CallKey, a errand.Approval) (own errand.Question, granted []errand.Question, err error) {
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayBegin(key); err != nil {
			return err
		}
		own, granted = errand.Question{}, nil
		list, err := questionsWhere(t, `owner = ? AND turn = ? AND step = ? AND idx = ? AND kind = 'approval'`, key.Owner, key.Turn, key.Step, key.Index)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if own = list[0]; own.State != errand.QuestionOpen {
				return t.markAnswerDelivered(own.ID)
			}
			return nil
		}
		var session errand.SessionID
		if task, err := ownTask(t, key.Owner); err != nil {
			return err
		} else if task != nil {
			session = task.Origin.Session
		} else {
			session = errand.SessionID(key.Owner)
		}
		turn, _, err := turnOf(t, key.Owner, key.Turn)
		if err != nil {
			return err
		}
		granted, err = grants(t, session, errand.PersonID(turn.Person), a)
		return err
	})
	return own, granted, err
}

// WithdrawApprovals ends the approvals of the session of a conversation, and has nothing run
// that was approved and has not begun; with whose, what that person has asked for alone. It
// returns how many those were.
func (s *Store) WithdrawApprovals(ctx context.Context, key errand.SessionKey, whose errand.PersonID) (int, error) {
	n := 0
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if n = 0; err != nil || !found {
			return err
		}
		const where = `owner = ? AND (person = ? OR ? = '') AND outcome = ''` // what was done is told
		args := []any{row.ID, whose, whose}
		if _, err := t.Value(&n, `SELECT COUNT(*) FROM questions WHERE kind = 'approval' AND NOT told AND `+where, args...); err != nil || n == 0 {
			return err
		}
		if err := t.dropApprovals(where, args...); err != nil {
			return err
		}
		return t.audit(DeedWithdraw, did{"session", row.ID, personOf(key), ""})
	})
	return n, err
}

// keepOutcome keeps what an approved call came to whose turn was interrupted while it ran:
// its agent is told with the next step. It fails with why where nobody is left to tell.
func (t *tx) keepOutcome(key errand.CallKey, text string, why error) error {
	if !errors.Is(why, ErrClosed) {
		return why
	}
	var one int
	awaited, err := t.Value(&one, `SELECT 1 FROM turns JOIN sessions ON sessions.id = turns.owner WHERE owner = ? AND turn = ? AND NOT open
		AND turns.reason NOT IN (?, ?) AND sessions.state <> 'ended'`, key.Owner, key.Turn, StoppedTurn, ResetTurn)
	if err != nil || !awaited {
		return cmp.Or(err, why)
	}
	call, _, err := plannedCall(t, key)
	if err != nil {
		return err
	}
	if text, err = t.shorten(key, call.Name, text); err != nil {
		return err
	}
	n, err := t.Exec(`UPDATE questions SET outcome = ?, outcome_by = 0, told = FALSE, signalled = 0 WHERE owner = ? AND turn = ? AND step = ? AND idx = ?
		AND kind = 'approval' AND state = 'answered' AND told AND outcome = ''`, text, key.Owner, key.Turn, key.Step, key.Index)
	if err == nil && n == 0 {
		err = why
	}
	return err
}

// OverdueApprovals returns the approvals whose call was begun, whose turn was interrupted,
// and whose outcome should have been there before now: whoever ran it has died.
func (s *Store) OverdueApprovals(ctx context.Context, now time.Time) (ids []errand.QuestionID, err error) {
	err = s.read(ctx).All(&ids, `SELECT id FROM questions WHERE outcome_by > 0 AND outcome_by < ? ORDER BY outcome_by, id LIMIT ?`, micros(now), pageRows)
	return ids, err
}

// LoseOutcome notes that nobody will say what an overdue approved call came to: its agent,
// if it is still there, is told that this is unknown. What is there stays.
func (s *Store) LoseOutcome(ctx context.Context, id errand.QuestionID) error {
	return s.onQuestion(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE questions SET outcome_by = 0, outcome = ?, signalled = 0,
			told = NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = questions.owner AND sessions.state <> 'ended')
			WHERE id = ? AND outcome_by > 0 AND state = 'answered' AND told AND outcome = ''`, lostOutcome, id)
		return err
	})
}

const lostOutcome = "error: outcome unknown: the worker that ran this was gone before it could keep what came of it. Check whether it had its effect before you ask for it again."

func duration(micros int64) time.Duration { return time.Duration(micros) * time.Microsecond }
