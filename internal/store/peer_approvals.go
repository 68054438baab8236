package store

import (
	"context"
	"fmt"

	"errand"
)

// Bounds of what one program asks of people about one task.
const (
	mostPeerOpen  = 8   // that are open
	mostPeerAsked = 200 // in all
)

// AskForPeer asks for a yes to what a program wants to do that works on a task: an approval
// like that of a tool call, of an agent that has no steps. What it has asked before in the
// same words, and has not been told of, is the same question. It fails with ErrClosed when
// the task, or one above it, has ended, and with ErrTooMany where people are asked enough.
func (s *Store) AskForPeer(ctx context.Context, id errand.TaskID, agent errand.AgentName, ask NewApproval) (q errand.Question, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if err := t.alive(&task); err != nil {
			return err
		}
		owner, from := errand.SubAgentOwner(id, agent), task.Origin
		before, err := questionsWhere(t, `owner = ? AND kind = 'approval' AND NOT told AND tool = ? AND arguments_hash = ? ORDER BY created LIMIT 1`, owner, ask.Tool, ask.Hash)
		if err != nil {
			return err
		}
		if len(before) > 0 {
			q = before[0]
			return nil
		}
		if err := peerMayAsk(t, owner); err != nil {
			return err
		}
		c := &commit{tx: t, task: &task, key: errand.StepKey{Owner: owner, Turn: 1},
			stepIn: &StepInput{Agent: agent, Session: from.Session, SessionKey: from.SessionKey, Route: from.Route, Person: from.Person, Task: &task}}
		if _, err := t.Value(&c.key.Step, `SELECT COALESCE(MAX(step), 0) + 1 FROM questions WHERE owner = ?`, owner); err != nil {
			return err
		}
		if _, err := c.askApproval(ask, PlannedCall{Index: 1}); err != nil {
			return err
		}
		q, err = questionByID(t, ask.ID)
		return err
	})
	return q, err
}

// peerMayAsk fails with ErrTooMany for a program that has asked enough.
func peerMayAsk(t *tx, owner errand.Owner) error {
	var open, all int
	if _, err := t.Value(&all, `SELECT COUNT(*) FROM questions WHERE owner = ? AND kind = 'approval'`, owner); err != nil {
		return err
	}
	if _, err := t.Value(&open, `SELECT COUNT(*) FROM questions WHERE owner = ? AND kind = 'approval' AND state = 'open'`, owner); err != nil {
		return err
	}
	switch {
	case all >= mostPeerAsked:
		return fmt.Errorf("%s has asked for permission %d times: %w", owner, all, ErrTooMany)
	case open >= mostPeerOpen:
		return fmt.Errorf("%d requests of %s wait for somebody to decide: %w", open, owner, ErrTooMany)
	}
	return nil
}

// TakePeerAnswer notes that a program is told what became of its approval, and reports
// whether it is told now: one yes is good for one call. An open one is not taken.
func (s *Store) TakePeerAnswer(ctx context.Context, id errand.QuestionID) (taken bool, err error) {
	err = s.onQuestion(ctx, id, func(t *tx) error {
		n, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ? AND NOT told AND state <> 'open'`, id)
		taken = n > 0
		return err
	})
	return taken, err
}

// PendingApprovals returns the approvals of a program at work on a task that it has not been
// told of, the open ones among them, in the order in which it asked.
func (s *Store) PendingApprovals(ctx context.Context, id errand.TaskID, agent errand.AgentName) ([]errand.Question, error) {
	return questionsWhere(s.read(ctx), `owner = ? AND kind = 'approval' AND NOT told ORDER BY step`, errand.SubAgentOwner(id, agent))
}
