package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A NewApproval is the question before a tool call: see [core.Approval].
type NewApproval struct {
	NewQuestion
	core.Approval
	Rule core.ApprovalRule
	// Deciders are asked in their own chats, if the person of the work may not approve.
	Deciders []Decider
	Away     string // the notice in the chat if it is approved but no worker can run it
}

// mostTries is how often errand tries to start an approved call that no worker takes up. Each
// try lasts a minute.
const mostTries = 5

// longestRun is how long an approved call of an ended turn may run, unless its tool has more
// time. [KeepOutcome] is added to it. The activity that runs the call is not retried.
const longestRun = 10 * time.Minute

// approve asks for an approval. It reuses the open question of the same call, or an approval
// that covers the call in this session.
func (c *commit) approve(p PlannedCall) (PlannedCall, error) {
	ask, ok := c.in.Approvals[p.Index]
	if !ok {
		return p, fmt.Errorf("call %s:%d waits for a yes and nobody knows to what", c.key, p.Index)
	}
	if ask.Rule == core.ApproveFirst {
		granted, err := grants(c, c.stepIn.Session, c.stepIn.Person, ask.Approval)
		if err != nil {
			return p, err
		}
		if len(granted) > 0 {
			p.By = ByActivity
			return p, nil
		}
	}
	p.Waits = true
	// Without approvals that have an outcome: that outcome is still to be delivered.
	before, err := questionsWhere(c, `owner = ? AND kind = 'approval' AND person = ? AND agent = ? AND tool = ? AND arguments_hash = ? AND (state = 'open' OR state = 'answered' AND NOT told)
		AND outcome = '' AND NOT (turn = ? AND step = ?) ORDER BY created LIMIT 1`, c.key.Owner, c.stepIn.Person, c.stepIn.Agent, ask.Tool, ask.Hash, c.key.Turn, c.key.Step)
	if err != nil {
		return p, err
	}
	if len(before) > 0 {
		p.Question, p.Ended = before[0].ID, before[0].State != core.QuestionOpen
		_, err = c.Exec(`UPDATE questions SET turn = ?, step = ?, idx = ?, queue = ?, timeout = ? WHERE id = ?`, c.key.Turn, c.key.Step, p.Index, p.Queue, p.Timeout.Microseconds(), p.Question)
		return p, err
	}
	p.Question, err = c.askApproval(ask, p)
	return p, err
}

func (c *commit) askApproval(ask NewApproval, p PlannedCall) (core.QuestionID, error) {
	q, err := c.insertQuestion(ask.NewQuestion, p.Index)
	if err != nil {
		return "", err
	}
	_, err = c.Exec(`UPDATE questions SET kind = ?, tool = ?, arguments = ?, arguments_hash = ?, for_session = ?, cut = ?, seal = ?, away = ?, queue = ?, timeout = ? WHERE id = ?`,
		core.AsksApproval, ask.Tool, ask.Arguments, ask.Hash, ask.ForSession, ask.Cut, ask.Seal, ask.Away, p.Queue, p.Timeout.Microseconds(), q.ID)
	if err != nil {
		return "", err
	}
	q.Kind, q.Approval = core.AsksApproval, &ask.Approval
	c.changedQuestion(q.Kind, q.Person)
	if err := c.show(q, "question:"+string(q.ID), ask.Shown); err != nil {
		return "", err
	}
	if err := c.askDeciders(q, ask.Deciders); err != nil || c.task == nil {
		return q.ID, err
	}
	return q.ID, c.requireInput(c.task)
}

// grants returns the approvals of a session for the same arguments, or for the tool until the
// session ends, given to the same person. A shared session has none, because its agent may act
// for any of its people. A task whose session has ended has none either.
func grants(q sqldb.Querier, session core.SessionID, person core.PersonID, a core.Approval) ([]core.Question, error) {
	if session == "" || person == "" {
		return nil, nil
	}
	var key core.SessionKey
	if _, err := q.Value(&key, `SELECT key FROM sessions WHERE id = ?`, session); err != nil || key.Shared() {
		return nil, err
	}
	return questionsWhere(q, `kind = 'approval' AND state = 'answered' AND session = ? AND person = ? AND tool = ?
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = questions.session AND sessions.state = 'ended')
		AND (answer = ? OR answer = ? AND arguments_hash = ?) ORDER BY answered DESC, id LIMIT ?`,
		session, person, a.Tool, core.ApprovedSession, core.ApprovedOnce, a.Hash, maxQuestions)
}

// hasUndelivered reports whether a sub-agent has an approval that ended and was not delivered:
// its report must not leave it out.
func (c *commit) hasUndelivered() (bool, error) {
	if c.task == nil {
		return false, nil // another turn of the session handles them
	}
	return c.hasUndeliveredApproval(c.key.Owner)
}

func (t *tx) hasUndeliveredApproval(owner core.Owner) (bool, error) {
	var one int
	return t.Value(&one, `SELECT 1 FROM questions WHERE owner = ? AND kind = 'approval' AND NOT told AND state <> 'open' LIMIT 1`, owner)
}

func (t *tx) interrupted(id core.QuestionID, nonce core.Nonce) (string, error) {
	q, err := questionByID(t, id)
	if err != nil {
		return "", err
	}
	var begun struct {
		Told    bool
		Timeout int64
	}
	if _, err := t.Row(&begun, `SELECT told, timeout FROM questions WHERE id = ? AND state = 'answered'`, id); err != nil || !begun.Told {
		return q.Report(nonce), err
	}
	by := at(t.now).Add(max(longestRun, duration(begun.Timeout)+time.Minute) + KeepOutcome)
	_, err = t.Exec(`UPDATE questions SET outcome_by = ? WHERE id = ?`, micros(by), id)
	return q.ReportBegun(nonce), err
}

// dropApprovals withdraws approvals when the work that asked for them ends: open ones, and
// approved calls that have not begun. These calls never run.
func (t *tx) dropApprovals(where string, args ...any) error {
	return t.endUndelivered(`state = 'open' OR state = 'answered' AND outcome = ''`, `kind = 'approval' AND `+where, args...)
}

// unapproved answers a call without an approval. If it was approved just now, it runs with this
// step.
func (b *stepBegin) unapproved(key core.CallKey, c PlannedCall) (string, error) {
	q, err := questionByID(b, c.Question)
	if err != nil {
		return "", err
	}
	var told bool
	if _, err := b.Value(&told, `SELECT told FROM questions WHERE id = ?`, q.ID); err != nil {
		return "", err
	}
	switch {
	case q.State == core.QuestionAnswered && told:
		return b.unfinished(key, c) // it has begun
	case q.State == core.QuestionAnswered:
		if away, err := b.notBegun(&q); err != nil || away {
			return q.ReportAway(b.out.Nonce), err
		}
	case q.State != core.QuestionOpen && q.State != core.QuestionAnswered:
		if err := b.markAnswerDelivered(q.ID); err != nil {
			return "", err
		}
	}
	b.approvals = true
	return q.Report(b.out.Nonce), nil
}

// notBegun counts a start that no worker took up, and reports whether that was the last try.
// After the last try it announces that in the chat, once.
func (b *stepBegin) notBegun(q *core.Question) (bool, error) {
	if _, err := b.Exec(`UPDATE questions SET tries = tries + 1 WHERE id = ?`, q.ID); err != nil {
		return false, err
	}
	var away string
	given, err := b.Value(&away, `SELECT away FROM questions WHERE id = ? AND tries >= ?`, q.ID, mostTries)
	if err != nil || !given {
		return false, err
	}
	if err := b.markAnswerDelivered(q.ID); err != nil || away == "" {
		return true, err
	}
	b.out.notices = true
	return true, b.announceOf(*q, "away", away)
}

func (t *tx) markAnswerDelivered(id core.QuestionID) error {
	_, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ?`, id)
	return err
}

// takeApprovals runs approved calls that no turn waits for, and reports refused ones to the agent.
func (b *stepBegin) takeApprovals() error {
	if !b.approvals || !b.in.Approved {
		return nil
	}
	list, err := questionsWhere(b, `owner = ? AND kind = 'approval' AND NOT told AND state <> 'open' ORDER BY answered, id LIMIT ?`, b.key.Owner, maxQuestions)
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
			b.out.left = true // a shared session, and this is another person's turn
			continue
		case len(b.approved) > 0 && b.approved[0].Agent != q.Agent:
			b.out.left = true
			continue
		default:
			if err := b.takeApproval(q); err != nil {
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

func (b *stepBegin) takeApproval(q core.Question) error {
	report := q.Report(b.out.Nonce)
	if q.State == core.QuestionAnswered {
		var outcome string
		if _, err := b.Value(&outcome, `SELECT outcome FROM questions WHERE id = ?`, q.ID); err != nil {
			return err
		}
		if outcome == "" {
			b.approved = append(b.approved, q)
			return nil
		}
		report = q.ReportOutcome(b.out.Nonce, strings.ReplaceAll(outcome, string(b.nonce), string(b.out.Nonce))) // the marks are errand's
	}
	if err := b.append(core.Message{Speaker: core.FromPerson, Text: report}); err != nil {
		return err
	}
	return b.markAnswerDelivered(q.ID)
}

func (b *stepBegin) narrowTo(asked turnRow) error {
	role := core.Role(asked.Role)
	if b.out.Task == nil {
		if err := b.narrowRole(core.Origin{Person: core.PersonID(asked.Person), Role: role, ReplyTo: asked.ReplyTo}); err != nil {
			return err
		}
	}
	if b.turn.Role != "" {
		role = core.Lesser(role, core.Role(b.turn.Role))
	}
	b.turn.Role, b.changed = string(role), true
	return nil
}

// runApproved makes the calls with the arguments that people have approved.
func (b *stepBegin) runApproved() error {
	result := StepResult{Outbox: b.queued, Claims: b.claims, Taken: b.taken, Left: b.out.left}
	var calls []core.ToolCall
	for i, q := range b.approved {
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
		calls = append(calls, core.ToolCall{Name: q.Approval.Tool, Arguments: q.Approval.Arguments})
		result.Calls = append(result.Calls, PlannedCall{Index: index, By: ByApproval, Tool: q.Approval.Tool, Queue: row.Queue,
			Timeout: duration(row.Timeout), Question: q.ID, Waits: true, Ended: true})
	}
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	b.out.Done = &result
	return b.insertOutcome(b.key.Owner, core.Message{Turn: b.key.Turn, Step: b.key.Step, Speaker: core.FromAgent, Agent: b.approved[0].Agent,
		Calls: withIDs(calls, b.key)}, string(text))
}
