package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

// Limits of the approvals that one program requests for one task.
const (
	mostPeerOpen  = 8   // open at the same time
	mostPeerAsked = 200 // in total
)

// AskForPeer requests approval of what a program that works on a task wants to do, as a tool call
// does. An earlier request with the same words whose answer was not delivered is the same question.
// It fails with ErrClosed if the task, or one above it, has ended, and with [ErrTooMany].
func (s *Store) AskForPeer(ctx context.Context, id core.TaskID, agent core.AgentName, ask NewApproval) (q core.Question, err error) {
	err = s.writeTask(ctx, id, func(t *tx) error {
		task, err := taskByID(t, id)
		if err != nil {
			return err
		}
		if err := t.alive(&task); err != nil {
			return err
		}
		owner, from := core.SubAgentOwner(id, agent), task.Origin
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
		c := &commit{tx: t, task: &task, key: core.StepKey{Owner: owner, Turn: 1},
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

func peerMayAsk(t *tx, owner core.Owner) error {
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

// TakePeerAnswer marks the answer to a program's approval as delivered. It returns true only to
// the first caller, because one approval allows one call. It does not take open approvals.
func (s *Store) TakePeerAnswer(ctx context.Context, id core.QuestionID) (taken bool, err error) {
	err = s.onQuestion(ctx, id, func(t *tx) error {
		n, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ? AND NOT told AND state <> 'open'`, id)
		taken = n > 0
		return err
	})
	return taken, err
}

// PendingApprovals returns the approvals of a program that works on a task whose answers it has
// not got, open ones included, in the order of the requests.
func (s *Store) PendingApprovals(ctx context.Context, id core.TaskID, agent core.AgentName) ([]core.Question, error) {
	return questionsWhere(s.read(ctx), `owner = ? AND kind = 'approval' AND NOT told ORDER BY step`, core.SubAgentOwner(id, agent))
}
