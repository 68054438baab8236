package store

import (
	"fmt"
	"slices"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/prompt"
)

// take appends what the step answers to the transcript: before the first step, or after the tool
// results of the previous step. Outside authors may know the transcript's nonce, so the new text is
// first marked with a new nonce. Writing it replaces the new nonce with the transcript's.
func (b *stepBegin) take() error {
	b.next, b.nonce = -1, b.out.Nonce
	b.out.Nonce = core.NewNonce()
	defer func() { b.out.Nonce = b.nonce }()
	if err := b.takeRows(); err != nil || b.out.Done != nil {
		return err
	}
	return b.takeApprovals()
}

func (b *stepBegin) takeRows() error {
	if b.key.Step > 1 {
		if err := b.finishCalls(); err != nil || b.out.Done != nil {
			return err
		}
	}
	if b.opened {
		if err := b.countClaimed(); err != nil {
			return err
		}
	}
	if b.fresh() && b.key.Step == 1 {
		reasons, err := b.decisionBefore(b.out.Task.Follows, b.out.Nonce)
		if err != nil {
			return err
		}
		if err := b.append(core.Message{Speaker: core.FromPerson, Text: asked(b.out.Nonce, b.out.Task) + reasons, Created: b.out.Task.Created}); err != nil {
			return err
		}
		b.claims++
	}
	if b.in.Session == "" {
		if b.in.Results && !b.fresh() {
			if err := b.joinResults(); err != nil {
				return err
			}
		}
		return b.takeTaskMessages()
	}
	return b.takeForSession()
}

func (b *stepBegin) takeForSession() error {
	if b.hasBackfill && !b.opened {
		if err := b.readBackfill(); err != nil {
			return err
		}
	}
	if b.in.Rows != ClaimNone {
		if err := b.takeMessages(); err != nil {
			return err
		}
	}
	if err := b.readFailing(); err != nil {
		return err
	}
	if b.in.Results || b.failing {
		if err := b.takeResults(); err != nil {
			return err
		}
	}
	return b.writeBackfill()
}

// readFailing reads whether an attempt at the model call of this step has failed.
func (b *stepBegin) readFailing() error {
	if !b.opened {
		return nil
	}
	var tried int64
	_, err := b.Value(&tried, `SELECT tried FROM reservations WHERE owner = ? AND turn = ? AND step = ?`, b.key.Owner, b.key.Turn, b.key.Step)
	if b.failing = tried > 0; err != nil || !b.failing {
		return err
	}
	var one int
	b.out.HasResults, err = b.Value(&one, `SELECT 1 FROM tasks WHERE told_by = ? AND told_by <> '' AND way = 'fold' LIMIT 1`, turnKey(b.key.Owner, b.key.Turn))
	return err
}

// finishCalls answers calls without a result: their worker died, or they are delegations that
// no one waits for.
func (b *stepBegin) finishCalls() error {
	before := b.key
	before.Step--
	var client []int
	err := b.answerCalls(before, func(c PlannedCall) (string, error) {
		if c.By == ByClient {
			client = append(client, c.Index)
			return "", nil
		}
		if c.By == ByQuestion {
			return b.answerOf(c.Question)
		}
		if c.By == ByApproval {
			return b.unapproved(core.CallKey{StepKey: before, Index: c.Index}, c)
		}
		if c.By != ByDelegation {
			return b.unfinished(core.CallKey{StepKey: before, Index: c.Index}, c)
		}
		task, err := taskByID(b, c.Task)
		if err != nil {
			return "", err
		}
		if task.State.Terminal() && task.Way == core.WayUndecided {
			err = b.decide(task.ID, core.WayTurn, turnKey(b.key.Owner, b.key.Turn), 0)
		}
		return task.Report(b.out.Nonce), err
	})
	if err != nil || len(client) == 0 {
		return err
	}
	return b.toClient(before, client)
}

// unfinished is the result of a tool call that has none. If the call waited in vain for a
// worker, it has not begun, and this answer prevents it from beginning (see [Store.BeginTool]).
// Otherwise it may be called again.
func (b *stepBegin) unfinished(key core.CallKey, c PlannedCall) (string, error) {
	const unknown = "error: this tool call did not finish; its outcome is unknown"
	if c.Queue == "" {
		return unknown, nil
	}
	var begun int
	_, err := b.Value(&begun, `SELECT COUNT(*) FROM begun_calls WHERE owner = ? AND turn = ? AND step = ? AND idx = ? AND once`, key.Owner, key.Turn, key.Step, key.Index)
	if err != nil || begun > 0 {
		return unknown, err
	}
	return fmt.Sprintf("error: %s did not finish: no worker that can run it is there, or the one that had it is gone. "+
		"To call it again does no harm. Whoever runs errand sees with errand mcp list which server is down.", c.Tool), nil
}

func (t *tx) decide(id core.TaskID, way core.Way, notifiedBy string, step int) error {
	var person core.PersonID
	found, err := t.Value(&person, `UPDATE tasks SET way = ?, told_by = ?, told_step = ? WHERE id = ? AND way = '' RETURNING person`, way, notifiedBy, step, id)
	if found {
		t.changed(person, events.Tasks)
	}
	return err
}

func (b *stepBegin) countClaimed() error {
	_, err := b.Value(&b.claims, `SELECT (SELECT COUNT(*) FROM inbox WHERE owner = ? AND turn = ? AND step = ? AND turn IS NOT NULL)
		+ (SELECT COUNT(*) FROM tasks WHERE told_by = ? AND told_by <> '' AND told_step = ?)`,
		b.key.Owner, b.key.Turn, b.key.Step, turnKey(b.key.Owner, b.key.Turn), b.key.Step)
	if err != nil || b.claims == 0 {
		return err
	}
	return b.All(&b.taken, `SELECT id FROM inbox WHERE owner = ? AND turn = ? AND step = ? AND turn IS NOT NULL ORDER BY id`,
		b.key.Owner, b.key.Turn, b.key.Step)
}

type claimRow struct {
	ID        int64
	MessageID string
	Person    string // the writer, in a shared session
	Role      string
	Text      string
	Created   int64
	Cause     string
	Note      string
	Hearing   string
	ReplyRow  int64
	Brings    bool // it has artifacts
	InGroup   bool
	Private   bool // no one else reads the chat; false for rows that are not messages
	Edited    bool // the transcript has an earlier version

	Forwarded     bool
	ForwardedFrom string

	Tools   string // of the program that sent it
	Outputs bool   // it has outputs of calls
}

func (b *stepBegin) takeMessages() error {
	limit := maxClaims
	if b.in.Rows == ClaimOne {
		limit = 1
		var one int
		mine, err := b.Value(&one, `SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND step = ? AND turn IS NOT NULL LIMIT 1`,
			b.key.Owner, b.key.Turn, b.key.Step)
		if err != nil || mine {
			return err
		}
	}
	ready := ` AND hearing <> 'unheard'`
	if b.in.NeedTranscripts {
		ready = ``
	}
	var rows []claimRow
	err := b.All(&rows, `SELECT id, message_id, person, role, text, created, cause, note, hearing, reply_row, in_group, private, edited, forwarded, forwarded_from, tools,
		EXISTS (SELECT 1 FROM client_calls WHERE client_calls.inbox = inbox.id AND client_calls.inbox <> 0) AS outputs,
		EXISTS (SELECT 1 FROM artifacts WHERE artifacts.inbox = inbox.id) AS brings FROM inbox
		WHERE session_key = ? AND turn IS NULL AND NOT superseded`+ready+` ORDER BY COALESCE(place, id) LIMIT ?`, b.in.Session, limit)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(rows, func(r claimRow) bool { return r.Hearing == awaitsTranscription }) {
		return ErrUntranscribed
	}
	for _, r := range rows {
		if err := b.takeMessage(r); err != nil {
			return err
		}
	}
	if err := b.logTaken(rows); err != nil {
		return err
	}
	if len(rows) > 0 && rows[len(rows)-1].Person != "" {
		// A shared session: only now it is known for which person the agent works.
		return b.decideAgent("")
	}
	return nil
}

// logTaken repeats messages in the log of a web chat if something else was logged while they waited.
// So the log has the order in which the agent read them: after the answer for which they waited.
func (b *stepBegin) logTaken(rows []claimRow) error {
	route, _, err := b.in.Session.Parse()
	if err != nil || route.Channel != core.ChannelWeb {
		return err
	}
	waited := false
	for _, r := range rows {
		found, err := eventsWhere(b, `session_key = ? AND message_id = ? AND message_id <> '' AND type = 'message' ORDER BY id LIMIT 1`, b.in.Session, r.MessageID)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			continue // a reminder
		}
		e := found[0]
		if !waited {
			var one int
			waited, err = b.Value(&one, `SELECT 1 FROM events WHERE session_key = ? AND id > ? AND type <> 'message' LIMIT 1`, b.in.Session, e.ID)
			if err != nil {
				return err
			}
		}
		if !waited {
			continue
		}
		e.ID, e.Cause = 0, core.Taken
		if err := b.announceFrom(e, r.Created); err != nil {
			return err
		}
	}
	return nil
}

// takeMessage lowers the turn's role to the lowest role of the messages that it answers.
func (b *stepBegin) takeMessage(r claimRow) error {
	if err := b.readBy(r); err != nil {
		return err
	}
	setter, speaker := "the user", ""
	if r.Person != "" {
		// A shared session: the turn belongs to the last person.
		if err := b.setPerson(core.PersonID(r.Person)); err != nil {
			return err
		}
		r.Role = string(core.Lesser(core.Role(r.Role), b.person.Role))
		var err error
		if speaker, err = b.speaker(core.PersonID(r.Person), b.person); err != nil {
			return err
		}
		b.turn.Person, setter = r.Person, speaker
	}
	text, err := b.worded(b.out.Nonce, r, setter)
	if err != nil {
		return err
	}
	if r.Person != "" && Cause(r.Cause) != CauseReminder {
		text = speakerLine(speaker, text)
	}
	if err := b.takeOutputs(r); err != nil {
		return err
	}
	if Cause(r.Cause) != CauseReminder {
		if err := b.closeCalls(); err != nil {
			return err
		}
	}
	if err := b.readClientTools(r.Tools); err != nil {
		return err
	}
	if text != "" || !r.Outputs {
		if err := b.append(core.Message{Speaker: core.FromPerson, Text: text, Created: at(r.Created)}); err != nil {
			return err
		}
	}
	if err := b.claimed(r); err != nil {
		return err
	}
	if b.turn.Role != "" {
		r.Role = string(core.Lesser(core.Role(b.turn.Role), core.Role(r.Role)))
	}
	b.turn.Role = r.Role
	b.changed = true
	b.claims++
	b.taken = append(b.taken, r.ID)
	if Cause(r.Cause) == CauseReminder {
		if b.turn.Cause == "" {
			b.turn.Cause = string(CauseReminder)
		}
		return nil
	}
	b.turn.Cause, b.turn.ReplyTo = string(CauseMessage), r.MessageID
	other, err := b.answersOther(b.key.Owner, b.session, r)
	if err != nil || other {
		return err
	}
	if r.Forwarded || r.Text == "" && r.Outputs {
		return nil // forwarded messages and outputs answer nothing
	}
	if err := b.answerAsked(r); err != nil {
		return err
	}
	return b.consent(shownText(r.Edited, r.Text)) // an edited answer is no consent
}

// readBy records who reads the chat. A message that shows a private chat overrides an earlier
// guess; it counts only if the address does not show the readers.
func (b *stepBegin) readBy(r claimRow) error {
	if !r.Private {
		return b.readByOthers(r.InGroup)
	}
	if b.session.Private || b.session.route().ShowsReaders() {
		return nil
	}
	b.session.InGroup, b.session.Private, b.out.Group = false, true, false
	_, err := b.Exec(`UPDATE sessions SET in_group = FALSE, private = TRUE WHERE id = ?`, b.key.Owner)
	return err
}

// readByOthers marks the chat as read by others. From then on, the agent sees only what belongs
// to the conversation.
func (b *stepBegin) readByOthers(group bool) error {
	if !group || b.session.InGroup || b.session.Private {
		return nil
	}
	b.session.InGroup, b.out.Group = true, true
	_, err := b.Exec(`UPDATE sessions SET in_group = TRUE WHERE id = ?`, b.key.Owner)
	return err
}

func (b *stepBegin) claimed(r claimRow) error {
	idx := b.next - 1
	if r.Text == "" && r.Outputs {
		idx = -1 // no message of its own
	}
	_, err := b.Exec(`UPDATE inbox SET owner = ?, turn = ?, step = ?, idx = ? WHERE id = ?`, b.key.Owner, b.key.Turn, b.key.Step, idx, r.ID)
	if err != nil || !r.Brings {
		return err
	}
	_, err = b.Exec(`UPDATE artifacts SET session = ? WHERE inbox = ?`, b.key.Owner, r.ID)
	return err
}

// takeResults folds in the results that this session requested. Results that an earlier session or
// the person requested become notifications. While the model is down, all results do, because they
// would wait with it. A nested task's result belongs to its sub-agent.
func (b *stepBegin) takeResults() error {
	tasks, err := tasksWhere(b, `session_key = ? AND depth <= 1 AND `+wayUndecided+` ORDER BY finished LIMIT ?`, b.in.Session, maxResults)
	if err != nil {
		return err
	}
	for i := range tasks {
		task := &tasks[i]
		if task.Origin.Session != b.out.Session || task.Origin.Direct || b.failing {
			id, err := b.notify(task, b.key.Owner, b.key.Turn)
			if err != nil {
				return err
			}
			b.queued = append(b.queued, id...)
			b.notified++
			continue
		}
		if err := b.decide(task.ID, core.WayFold, turnKey(b.key.Owner, b.key.Turn), b.key.Step); err != nil {
			return err
		}
		if err := b.readByOthers(task.Origin.Group); err != nil {
			return err
		}
		if err := b.fold(task); err != nil {
			return err
		}
		if err := b.narrowRole(task.Origin); err != nil {
			return err
		}
	}
	return nil
}

// narrowRole lowers the role of a turn that only reports results to the lesser of the person's
// roles at the request and now.
func (b *stepBegin) narrowRole(o core.Origin) error {
	if Cause(b.turn.Cause) == CauseMessage {
		return nil
	}
	cause, replyTo := CauseResults, o.ReplyTo
	if Cause(b.turn.Cause) == CauseReminder {
		cause, replyTo = CauseReminder, ""
	}
	role := o.Role
	if o.Person != b.out.Person {
		// In a shared session the result is for the person who requested it.
		if err := b.setPerson(o.Person); err != nil {
			return err
		}
		b.turn.Person = string(o.Person)
	}
	if b.turn.Role != "" {
		role = core.Lesser(role, core.Role(b.turn.Role))
	}
	b.turn.Cause, b.turn.Role, b.turn.ReplyTo = string(cause), string(role), replyTo
	b.changed = true
	return nil
}

func (b *stepBegin) joinResults() error {
	tasks, err := tasksWhere(b, `caller_owner = ? AND caller_owner <> '' AND `+wayUndecided+` ORDER BY finished LIMIT ?`, b.key.Owner, maxResults)
	if err != nil {
		return err
	}
	for i := range tasks {
		if err := b.decide(tasks[i].ID, core.WayTurn, turnKey(b.key.Owner, b.key.Turn), b.key.Step); err != nil {
			return err
		}
		if err := b.fold(&tasks[i]); err != nil {
			return err
		}
	}
	return b.joinAnswers()
}

func (b *stepBegin) fold(task *core.Task) error {
	call, err := foldCall(task)
	if err != nil {
		return err
	}
	if err := b.append(core.Message{Speaker: core.FromAgent, Agent: b.out.Agent, Calls: []core.ToolCall{call}}); err != nil {
		return err
	}
	b.claims++
	if err := b.cutLate(task, call.Name); err != nil {
		return err
	}
	return b.append(core.Message{Speaker: core.FromTool, Text: task.Report(b.out.Nonce), CallID: call.ID})
}

func (b *stepBegin) append(m core.Message) error {
	m.Turn, m.Step = b.key.Turn, b.key.Step-1
	if b.next < 0 {
		b.next = 0
		if b.opened {
			_, err := b.Value(&b.next, `SELECT COALESCE(MAX(idx) + 1, 0) FROM messages WHERE owner = ? AND turn = ? AND step = ?`,
				b.key.Owner, m.Turn, m.Step)
			if err != nil {
				return err
			}
		}
	}
	m.Index = b.next
	b.next++
	return b.insertMessage(b.key.Owner, m)
}

func (b *stepBegin) insertMessage(owner core.Owner, m core.Message) error {
	m.Text = prompt.Reseal(b.nonce, m.Text, b.out.Nonce)
	return b.tx.insertMessage(owner, m)
}

func (b *stepBegin) answerCalls(key core.StepKey, answer func(PlannedCall) (string, error)) error {
	return b.tx.answerCalls(key, func(c PlannedCall) (string, error) {
		text, err := answer(c)
		return prompt.Reseal(b.nonce, text, b.out.Nonce), err
	})
}
