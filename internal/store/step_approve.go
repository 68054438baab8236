package store

import (
	"encoding/json"
	"fmt"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A NewApproval is the question in front of a tool call: see [errand.Approval].
type NewApproval struct {
	NewQuestion
	errand.Approval
	Rule errand.ApprovalRule
}

// approve plans a call that waits for a yes: it asks, goes on waiting for what was asked
// of the same call before, or finds that it need not ask in this session any more.
func (c *commit) approve(p PlannedCall) (PlannedCall, error) {
	ask, ok := c.in.Approvals[p.Index]
	if !ok {
		return p, fmt.Errorf("call %s:%d waits for a yes and nobody knows to what", c.key, p.Index)
	}
	if ask.Rule == errand.ApproveFirst {
		granted, err := grants(c, c.stepIn.Session, ask.Approval)
		if err != nil {
			return p, err
		}
		if len(granted) > 0 {
			p.By = ByActivity
			return p, nil
		}
	}
	p.Waits = true
	before, err := questionsWhere(c, `owner = ? AND kind = 'approval' AND tool = ? AND arguments_hash = ? AND (state = 'open' OR state = 'answered' AND NOT told)
		AND NOT (turn = ? AND step = ?) ORDER BY created LIMIT 1`, c.key.Owner, ask.Tool, ask.Hash, c.key.Turn, c.key.Step)
	if err != nil {
		return p, err
	}
	if len(before) > 0 {
		p.Question, p.Ended = before[0].ID, before[0].State != errand.QuestionOpen
		_, err = c.Exec(`UPDATE questions SET turn = ?, step = ?, idx = ? WHERE id = ?`, c.key.Turn, c.key.Step, p.Index, p.Question)
		return p, err
	}
	p.Question, err = c.askApproval(ask, p)
	return p, err
}

// askApproval makes the question of one call, as [commit.ask] makes that of a sub-agent.
func (c *commit) askApproval(ask NewApproval, p PlannedCall) (errand.QuestionID, error) {
	q, err := c.insertQuestion(ask.NewQuestion, p.Index)
	if err != nil {
		return "", err
	}
	_, err = c.Exec(`UPDATE questions SET kind = ?, tool = ?, arguments = ?, arguments_hash = ?, for_session = ?, cut = ?, queue = ?, timeout = ? WHERE id = ?`,
		errand.AsksApproval, ask.Tool, ask.Arguments, ask.Hash, ask.ForSession, ask.Cut, p.Queue, p.Timeout.Microseconds(), q.ID)
	if err != nil {
		return "", err
	}
	q.Kind, q.Approval = errand.AsksApproval, &ask.Approval
	c.changedQuestion(q.Kind, q.Person)
	if err := c.showAsked(q, ask.Shown); err != nil || c.task == nil {
		return q.ID, err
	}
	return q.ID, c.requireInput()
}

// grants are the approvals of a session that are good for a call which waits for the
// first yes only: of the same arguments, or of the tool until the session is over.
func grants(q sqldb.Querier, session errand.SessionID, a errand.Approval) ([]errand.Question, error) {
	if session == "" {
		return nil, nil
	}
	return questionsWhere(q, `kind = 'approval' AND state = 'answered' AND session = ? AND tool = ?
		AND (answer = ? OR answer = ? AND arguments_hash = ?) ORDER BY answered DESC, id`+sqldb.Limit(maxQuestions),
		session, a.Tool, errand.ApprovedSession, errand.ApprovedOnce, a.Hash)
}

// hasUntold reports whether the agent of a step has approvals that are over and that it was
// not told of: no report of a sub-agent leaves those out.
func (c *commit) hasUntold() (bool, error) {
	if c.task == nil {
		return false, nil // another turn of the session runs them
	}
	return c.untold(c.key.Owner)
}

func (t *tx) untold(owner errand.Owner) (bool, error) {
	var one int
	return t.Value(&one, `SELECT 1 FROM questions WHERE owner = ? AND kind = 'approval' AND NOT told AND state <> 'open' LIMIT 1`, owner)
}

// dropApprovals ends the approvals that a condition selects, with the work that asked:
// those that are open are withdrawn, and what was approved and has not begun never runs.
func (t *tx) dropApprovals(where string, args ...any) error {
	n, err := t.Exec(`UPDATE questions SET told = TRUE, answered = CASE WHEN state = 'open' THEN ? ELSE answered END,
		state = CASE WHEN state = 'open' THEN 'withdrawn' ELSE state END WHERE kind = 'approval' AND NOT told AND `+where, append([]any{t.now}, args...)...)
	if n > 0 {
		t.changed("", events.Questions)
	}
	return err
}

// unapproved answers a call that has waited for a yes and has no result. If the yes came
// just now, the call runs with this step.
func (b *stepBegin) unapproved(key errand.CallKey, c PlannedCall) (string, error) {
	q, err := questionByID(b, c.Question)
	if err != nil {
		return "", err
	}
	var told bool
	if _, err := b.Value(&told, `SELECT told FROM questions WHERE id = ?`, q.ID); err != nil {
		return "", err
	}
	switch {
	case q.State == errand.QuestionAnswered && told:
		return b.unfinished(key, c) // it was begun
	case q.State != errand.QuestionOpen && q.State != errand.QuestionAnswered:
		if err := b.noteTold(q.ID); err != nil {
			return "", err
		}
	}
	b.approvals = true
	return q.Report(b.out.Nonce), nil
}

func (t *tx) noteTold(id errand.QuestionID) error {
	_, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ?`, id)
	return err
}

// takeApprovals takes what became of approvals that no turn waits for any more: what was
// approved runs with this step, and of the rest the agent is told.
func (b *stepBegin) takeApprovals() error {
	if !b.approvals || !b.in.Approved {
		return nil
	}
	list, err := questionsWhere(b, `owner = ? AND kind = 'approval' AND NOT told AND state <> 'open' ORDER BY answered, id`+sqldb.Limit(maxQuestions), b.key.Owner)
	if err != nil {
		return err
	}
	for _, q := range list {
		asked, _, err := turnOf(b, q.Call.Owner, q.Call.Turn)
		if err != nil {
			return err
		}
		switch {
		case b.out.Task == nil && asked.Person != b.turn.Person && (b.opened || b.claims > 0):
			b.out.left = true // several share the session, and this turn is another's
			continue
		case len(b.approved) > 0 && b.approved[0].Agent != q.Agent:
			b.out.left = true
			continue
		case q.State == errand.QuestionAnswered:
			b.approved = append(b.approved, q)
		default:
			if err := b.append(errand.Message{Speaker: errand.FromPerson, Text: q.Report(b.out.Nonce)}); err != nil {
				return err
			}
			if err := b.noteTold(q.ID); err != nil {
				return err
			}
		}
		b.claims++
		if err := b.narrowTo(asked); err != nil {
			return err
		}
	}
	return nil
}

// narrowTo gives a turn no more rights than the one had in which a call was asked for.
func (b *stepBegin) narrowTo(asked turnRow) error {
	role := errand.Role(asked.Role)
	if b.out.Task == nil {
		if err := b.narrowRole(errand.Origin{Person: errand.PersonID(asked.Person), Role: role, ReplyTo: asked.ReplyTo}); err != nil {
			return err
		}
	}
	if b.turn.Role != "" {
		role = errand.Lesser(role, errand.Role(b.turn.Role))
	}
	b.turn.Role, b.changed = string(role), true
	return nil
}

// runApproved makes the approved calls the outcome of the step: the agent has called them
// before, and the tools are given what people have agreed to.
func (b *stepBegin) runApproved() error {
	result := StepResult{Outbox: b.queued, Claims: b.claims, Taken: b.taken, Left: b.out.left}
	var calls []errand.ToolCall
	for i, q := range b.approved {
		call, err := b.callOf(q.Call)
		if err != nil {
			return err
		}
		var row struct {
			Queue   string
			Timeout int64
		}
		if _, err := b.Row(&row, `SELECT queue, timeout FROM questions WHERE id = ?`, q.ID); err != nil {
			return err
		}
		index := i + 1
		if _, err := b.Exec(`UPDATE questions SET turn = ?, step = ?, idx = ? WHERE id = ?`, b.key.Turn, b.key.Step, index, q.ID); err != nil {
			return err
		}
		calls = append(calls, errand.ToolCall{Name: call.Name, Arguments: q.Approval.Arguments})
		result.Calls = append(result.Calls, PlannedCall{Index: index, By: ByApproval, Tool: q.Approval.Tool, Queue: row.Queue,
			Timeout: duration(row.Timeout), Question: q.ID, Waits: true, Ended: true})
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	b.out.Done = &result
	return b.insertOutcome(b.key.Owner, errand.Message{Turn: b.key.Turn, Step: b.key.Step, Speaker: errand.FromAgent, Agent: b.approved[0].Agent,
		Calls: withIDs(calls, b.key)}, string(text))
}
