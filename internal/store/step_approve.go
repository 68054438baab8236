package store

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A NewApproval is the question in front of a tool call: see [errand.Approval].
type NewApproval struct {
	NewQuestion
	errand.Approval
	Rule errand.ApprovalRule
	// Deciders are the people who decide and whom errand asks in their own chats, if the
	// person of the work may not decide.
	Deciders []Decider
	Away     string // what the chat is told if it is approved, and no worker is there that can run it
}

// mostTries is how often an approved call is started that no worker begins: a minute each,
// by the time that a call waits for a worker.
const mostTries = 5

// longestRun is how long an approved call may still be under way whose turn is over, unless
// its tool has more time, besides [KeepOutcome]: the activity that runs it is not begun again.
const longestRun = 10 * time.Minute

// approve plans a call that waits for a yes: it asks, goes on waiting for what was asked
// of the same call before, or finds that it need not ask in this session any more.
func (c *commit) approve(p PlannedCall) (PlannedCall, error) {
	ask, ok := c.in.Approvals[p.Index]
	if !ok {
		return p, fmt.Errorf("call %s:%d waits for a yes and nobody knows to what", c.key, p.Index)
	}
	if ask.Rule == errand.ApproveFirst {
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
	// Not what has come to something already: its agent is still to be told of that.
	before, err := questionsWhere(c, `owner = ? AND kind = 'approval' AND person = ? AND agent = ? AND tool = ? AND arguments_hash = ? AND (state = 'open' OR state = 'answered' AND NOT told)
		AND outcome = '' AND NOT (turn = ? AND step = ?) ORDER BY created LIMIT 1`, c.key.Owner, c.stepIn.Person, c.stepIn.Agent, ask.Tool, ask.Hash, c.key.Turn, c.key.Step)
	if err != nil {
		return p, err
	}
	if len(before) > 0 {
		p.Question, p.Ended = before[0].ID, before[0].State != errand.QuestionOpen
		_, err = c.Exec(`UPDATE questions SET turn = ?, step = ?, idx = ?, queue = ?, timeout = ? WHERE id = ?`, c.key.Turn, c.key.Step, p.Index, p.Queue, p.Timeout.Microseconds(), p.Question)
		return p, err
	}
	p.Question, err = c.askApproval(ask, p)
	return p, err
}

func (c *commit) askApproval(ask NewApproval, p PlannedCall) (errand.QuestionID, error) {
	q, err := c.insertQuestion(ask.NewQuestion, p.Index)
	if err != nil {
		return "", err
	}
	_, err = c.Exec(`UPDATE questions SET kind = ?, tool = ?, arguments = ?, arguments_hash = ?, for_session = ?, cut = ?, seal = ?, away = ?, queue = ?, timeout = ? WHERE id = ?`,
		errand.AsksApproval, ask.Tool, ask.Arguments, ask.Hash, ask.ForSession, ask.Cut, ask.Seal, ask.Away, p.Queue, p.Timeout.Microseconds(), q.ID)
	if err != nil {
		return "", err
	}
	q.Kind, q.Approval = errand.AsksApproval, &ask.Approval
	c.changedQuestion(q.Kind, q.Person)
	if err := c.show(q, "question:"+string(q.ID), ask.Shown); err != nil {
		return "", err
	}
	if err := c.askDeciders(q, ask.Deciders); err != nil || c.task == nil {
		return q.ID, err
	}
	return q.ID, c.requireInput(c.task)
}

// grants are the approvals of a session that are good for a call which waits for the
// first yes only: of the same arguments, or of the tool until the session is over. They are
// good for what is done for the person for whom they were given. A session that several share
// has none, for nobody can say whose words have made the agent call; nor has a task whose
// session is over.
func grants(q sqldb.Querier, session errand.SessionID, person errand.PersonID, a errand.Approval) ([]errand.Question, error) {
	if session == "" || person == "" {
		return nil, nil
	}
	var key errand.SessionKey
	if _, err := q.Value(&key, `SELECT key FROM sessions WHERE id = ?`, session); err != nil || key.Shared() {
		return nil, err
	}
	return questionsWhere(q, `kind = 'approval' AND state = 'answered' AND session = ? AND person = ? AND tool = ?
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE sessions.id = questions.session AND sessions.state = 'ended')
		AND (answer = ? OR answer = ? AND arguments_hash = ?) ORDER BY answered DESC, id LIMIT ?`,
		session, person, a.Tool, errand.ApprovedSession, errand.ApprovedOnce, a.Hash, maxQuestions)
}

// hasUndelivered reports whether the agent of a step has approvals that are over and that it was
// not told of: no report of a sub-agent leaves those out.
func (c *commit) hasUndelivered() (bool, error) {
	if c.task == nil {
		return false, nil // another turn of the session runs them
	}
	return c.hasUndeliveredApproval(c.key.Owner)
}

func (t *tx) hasUndeliveredApproval(owner errand.Owner) (bool, error) {
	var one int
	return t.Value(&one, `SELECT 1 FROM questions WHERE owner = ? AND kind = 'approval' AND NOT told AND state <> 'open' LIMIT 1`, owner)
}

func (t *tx) interrupted(id errand.QuestionID, nonce errand.Nonce) (string, error) {
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

// dropApprovals ends the approvals that a condition selects, with the work that asked:
// those that are open are withdrawn, and so is what was approved and has not begun: it never
// runs, and is good for nothing else.
func (t *tx) dropApprovals(where string, args ...any) error {
	return t.endUndelivered(`state = 'open' OR state = 'answered' AND outcome = ''`, `kind = 'approval' AND `+where, args...)
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
	case q.State == errand.QuestionAnswered:
		if away, err := b.notBegun(&q); err != nil || away {
			return q.ReportAway(b.out.Nonce), err
		}
	case q.State != errand.QuestionOpen && q.State != errand.QuestionAnswered:
		if err := b.markAnswerDelivered(q.ID); err != nil {
			return "", err
		}
	}
	b.approvals = true
	return q.Report(b.out.Nonce), nil
}

// notBegun counts that an approved call was started and no worker has begun it, and reports
// whether it is given up with that: then the chat is told, once.
func (b *stepBegin) notBegun(q *errand.Question) (bool, error) {
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

func (t *tx) markAnswerDelivered(id errand.QuestionID) error {
	_, err := t.Exec(`UPDATE questions SET told = TRUE WHERE id = ?`, id)
	return err
}

// takeApprovals takes what became of approvals that no turn waits for any more: what was
// approved runs with this step, and of the rest the agent is told.
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
			b.out.left = true // several share the session, and this turn is another's
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

func (b *stepBegin) takeApproval(q errand.Question) error {
	report := q.Report(b.out.Nonce)
	if q.State == errand.QuestionAnswered {
		var outcome string
		if _, err := b.Value(&outcome, `SELECT outcome FROM questions WHERE id = ?`, q.ID); err != nil {
			return err
		}
		if outcome == "" {
			b.approved = append(b.approved, q)
			return nil
		}
		report = q.ReportOutcome(b.out.Nonce, strings.ReplaceAll(outcome, string(b.nonce), string(b.out.Nonce))) // its marks are errand's
	}
	if err := b.append(errand.Message{Speaker: errand.FromPerson, Text: report}); err != nil {
		return err
	}
	return b.markAnswerDelivered(q.ID)
}

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
		calls = append(calls, errand.ToolCall{Name: q.Approval.Tool, Arguments: q.Approval.Arguments})
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
