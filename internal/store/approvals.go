package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand/internal/core"
)

// BeginApproved returns the approval that a call waits for, empty if it waits for none, and the
// earlier approvals that cover it by the rule that asks only the first time. From then on the
// approval counts as delivered to the agent: only this call may run because of it. It fails as
// [Store.BeginTool] does.
func (s *Store) BeginApproved(ctx context.Context, key core.CallKey, a core.Approval) (own core.Question, granted []core.Question, err error) {
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayBegin(key); err != nil {
			return err
		}
		own, granted = core.Question{}, nil
		list, err := questionsWhere(t, `owner = ? AND turn = ? AND step = ? AND idx = ? AND kind = 'approval'`, key.Owner, key.Turn, key.Step, key.Index)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if own = list[0]; own.State != core.QuestionOpen {
				return t.markAnswerDelivered(own.ID)
			}
			return nil
		}
		var session core.SessionID
		if task, err := ownTask(t, key.Owner); err != nil {
			return err
		} else if task != nil {
			session = task.Origin.Session
		} else {
			session = core.SessionID(key.Owner)
		}
		turn, _, err := turnOf(t, key.Owner, key.Turn)
		if err != nil {
			return err
		}
		granted, err = grants(t, session, core.PersonID(turn.Person), a)
		return err
	})
	return own, granted, err
}

// WithdrawApprovals ends the approvals of a conversation's session. Calls that were approved
// but have not begun do not run. If whose is set, only that person's approvals end. It returns
// how many ended.
func (s *Store) WithdrawApprovals(ctx context.Context, key core.SessionKey, whose core.PersonID) (int, error) {
	n := 0
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if n = 0; err != nil || !found {
			return err
		}
		const where = `owner = ? AND (person = ? OR ? = '') AND outcome = ''` // outcomes are still delivered
		args := []any{row.ID, whose, whose}
		if _, err := t.Value(&n, `SELECT COUNT(*) FROM questions WHERE kind = 'approval' AND NOT told AND `+where, args...); err != nil || n == 0 {
			return err
		}
		if err := t.dropApprovals(where, args...); err != nil {
			return err
		}
		return t.audit(core.DeedWithdraw, did{"session", row.ID, personOf(key), ""})
	})
	return n, err
}

// keepOutcome stores the outcome of an approved call if its turn was interrupted while the call
// ran. The agent gets it with its next step. If no agent is left to read it, keepOutcome
// returns why.
func (t *tx) keepOutcome(key core.CallKey, text string, why error) error {
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

// OverdueApprovals returns the approvals with a begun call whose turn was interrupted and whose
// outcome is overdue at now: its worker has died.
func (s *Store) OverdueApprovals(ctx context.Context, now time.Time) (ids []core.QuestionID, err error) {
	err = s.read(ctx).All(&ids, `SELECT id FROM questions WHERE outcome_by > 0 AND outcome_by < ? ORDER BY outcome_by, id LIMIT ?`, micros(now), pageRows)
	return ids, err
}

// LoseOutcome records that the outcome of an overdue approved call is unknown, and delivers
// that to its agent if the session still exists. It does not replace an outcome.
func (s *Store) LoseOutcome(ctx context.Context, id core.QuestionID) error {
	return s.onQuestion(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE questions SET outcome_by = 0, outcome = ?, signalled = 0,
			told = NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = questions.owner AND sessions.state <> 'ended')
			WHERE id = ? AND outcome_by > 0 AND state = 'answered' AND told AND outcome = ''`, lostOutcome, id)
		return err
	})
}

const lostOutcome = "error: outcome unknown: the worker that ran this call stopped before it could store the result. Check whether it took effect before you call it again."

func duration(micros int64) time.Duration { return time.Duration(micros) * time.Microsecond }
