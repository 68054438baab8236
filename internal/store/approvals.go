package store

import (
	"context"
	"time"

	"errand"
)

// BeginApproved returns the approval that a call waits for, or an empty one where it
// waits for none, and the approvals that are good for it besides, by the rule that asks
// only first. From then on what was approved counts as given to whoever asked: only this
// call runs by it. It fails as [Store.BeginTool] does.
func (s *Store) BeginApproved(ctx context.Context, key errand.CallKey, a errand.Approval) (own errand.Question, granted []errand.Question, err error) {
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayAnswer(key.StepKey); err != nil {
			return err
		}
		var one int
		answered, err := t.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, key.Owner, key.Turn, key.Step, key.Index)
		if err != nil {
			return err
		}
		if answered {
			return ErrAnswered
		}
		own, granted = errand.Question{}, nil
		list, err := questionsWhere(t, `owner = ? AND turn = ? AND step = ? AND idx = ? AND kind = 'approval'`, key.Owner, key.Turn, key.Step, key.Index)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			if own = list[0]; own.State != errand.QuestionOpen {
				return t.noteTold(own.ID)
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
		granted, err = grants(t, session, a)
		return err
	})
	return own, granted, err
}

func duration(micros int64) time.Duration { return time.Duration(micros) * time.Microsecond }
