package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"errand"
	"errand/internal/store/sqldb"
)

type turnRow struct {
	Turn         int
	Conversation string
	Cause        string
	Root         string
	Person       string
	Role         string
	ReplyTo      string
	Open         bool
	Replied      bool
	Created      int64
}

const turnColumns = `turn, conversation, cause, root, person, role, reply_to, open, replied, created`

// turnKey names a turn: as the budget of its tree, and as the row of the outbox
// that has its reply.
func turnKey(owner errand.Owner, turn int) string { return fmt.Sprintf("turn:%s:%d", owner, turn) }

func turnOf(q sqldb.Querier, owner errand.Owner, turn int) (turnRow, bool, error) {
	var row turnRow
	found, err := q.Row(&row, `SELECT `+turnColumns+` FROM turns WHERE owner = ? AND turn = ?`, owner, turn)
	return row, found, err
}

// alive fails with ErrClosed if the task, or one above it, has ended.
func (t *tx) alive(task *errand.Task) error {
	if task == nil {
		return nil
	}
	if task.State.Terminal() {
		return fmt.Errorf("task %s is %s: %w", task.ID, task.State, ErrClosed)
	}
	// At most as many as the depth allows.
	for id := task.Parent; id != ""; {
		var up struct{ State, Parent string }
		found, err := t.Row(&up, `SELECT state, parent FROM tasks WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if found && errand.TaskState(up.State).Terminal() {
			return fmt.Errorf("task %s above %s is %s: %w", id, task.ID, up.State, ErrClosed)
		}
		id = errand.TaskID(up.Parent)
	}
	return nil
}

// ownTask reads the task that a sub-agent works on; nil for a session.
func ownTask(q sqldb.Querier, owner errand.Owner) (*errand.Task, error) {
	id, _, ok := owner.Task()
	if !ok {
		return nil, nil
	}
	task, err := taskByID(q, id)
	return &task, err
}

// writeOwner runs do in a transaction that has the conversation of owner.
func (s *Store) writeOwner(ctx context.Context, owner errand.Owner, do func(*tx) error) error {
	if id, _, ok := owner.Task(); ok {
		return s.writeTask(ctx, id, do)
	}
	if !s.db.Postgres() {
		return s.write(ctx, "", do)
	}
	// The conversation of a session never changes, so it may be read before it is
	// locked.
	var key string
	found, err := s.read(ctx).Value(&key, `SELECT key FROM sessions WHERE id = ?`, owner)
	if err == nil && !found {
		err = fmt.Errorf("session %s: %w", owner, ErrNotFound)
	}
	if err != nil {
		return err
	}
	return s.write(ctx, key, do)
}

// CloseTurn closes a turn that will have no reply: from then on its steps and
// their outcomes are refused. A turn that was never begun is closed too. A turn
// that has its reply, or is closed, stays as it is.
func (s *Store) CloseTurn(ctx context.Context, owner errand.Owner, turn int, reason string) error {
	return s.writeOwner(ctx, owner, func(t *tx) error { return t.closeTurn(owner, turn, reason) })
}

func (t *tx) closeTurn(owner errand.Owner, turn int, reason string) error {
	row, found, err := turnOf(t, owner, turn)
	if err != nil || found && !row.Open {
		return err
	}
	if !found {
		return t.closeUnopened(owner, turn, reason)
	}
	if _, err := t.Exec(`UPDATE turns SET open = FALSE, closed = ?, reason = ? WHERE owner = ? AND turn = ?`,
		t.now, reason, owner, turn); err != nil {
		return err
	}
	if err := t.release(`owner = ? AND turn = ?`, owner, turn); err != nil {
		return err
	}
	if err := t.keepPartial(errand.SessionKey(row.Conversation), owner, turn); err != nil {
		return err
	}
	if err := t.giveBack(row, owner, turn, reason); err != nil {
		return err
	}
	if reason == StoppedTurn || reason == ResetTurn {
		if err := t.dropApprovals(`owner = ? AND turn = ?`, owner, turn); err != nil {
			return err
		}
	}
	var step int
	found, err = t.Value(&step, `SELECT step FROM messages WHERE owner = ? AND turn = ? AND idx = 0 AND step > 0
		ORDER BY step DESC LIMIT 1`, owner, turn)
	if err != nil || !found {
		return err
	}
	nonce, err := t.nonceOf(owner)
	if err != nil {
		return err
	}
	drawn := errand.NewNonce()
	return t.answerCalls(errand.StepKey{Owner: owner, Turn: turn, Step: step}, func(c PlannedCall) (string, error) {
		if c.By == ByApproval && reason != StoppedTurn && reason != ResetTurn {
			return t.interrupted(c.Question, nonce)
		}
		if c.By != ByDelegation {
			return errand.StoppedByPerson, nil
		}
		// With a turn that is stopped ends what it waits for, and what it has just
		// asked for and nobody has started yet.
		task, err := taskByID(t, c.Task)
		if err != nil || reason != StoppedTurn || !c.Waits && task.State != errand.Submitted {
			return nonce.Reseal(task.Report(drawn), drawn), err
		}
		closed, err := t.closeTree(c.Task, errand.ReasonStopped.Text(), true)
		t.closed = append(t.closed, closed...)
		return errand.StoppedByPerson, err
	})
}

// longestPartial is how much is kept of a reply that does not come to its end, in characters.
const longestPartial = 100_000

// keepPartial keeps in the log what was said so far of the reply of a session's turn. People
// read it; no model does, which would go on with what somebody did not want.
func (t *tx) keepPartial(key errand.SessionKey, owner errand.Owner, turn int) error {
	if _, _, sub := owner.Task(); sub || key == "" {
		return nil
	}
	partial, ok := t.s.bus.Partial(key)
	if !ok || partial.Turn != turn || errand.SessionOwner(partial.Session) != owner || strings.TrimSpace(partial.Text) == "" {
		return nil
	}
	return t.announce(errand.Event{Type: errand.EventPartial, Key: key, Session: partial.Session, Turn: turn, Agent: partial.Agent, Text: errand.Cut(partial.Text, longestPartial)})
}

// giveBack returns the results that a session's turn had taken and will not tell:
// a stopped turn's are told by notifications, an interrupted one's are left to the
// next turn, and those of one that ended with its session to the next session.
func (t *tx) giveBack(row turnRow, owner errand.Owner, turn int, reason string) error {
	if _, _, sub := owner.Task(); sub {
		return nil
	}
	if reason == StoppedTurn || reason == ResetTurn {
		if err := t.remindStopped(errand.SessionKey(row.Conversation), owner, turn); err != nil {
			return err
		}
	}
	if reason != StoppedTurn {
		if err := t.undecide(owner, turn); err != nil || reason != ResetTurn {
			return err
		}
		return t.announceStop(errand.SessionKey(row.Conversation), owner, turn)
	}
	if _, _, err := t.unfold(owner, turn); err != nil {
		return err
	}
	return t.announceStop(errand.SessionKey(row.Conversation), owner, turn)
}

// undecide lets another turn tell what this one was given, to fold it in or because
// it waited for it, and has not told.
func (t *tx) undecide(owner errand.Owner, turn int) error {
	_, err := t.Exec(`UPDATE tasks SET way = '', told_by = '', told_step = 0
		WHERE told_by = ? AND told_by <> '' AND way IN ('fold', 'turn') AND depth <= 1`, turnKey(owner, turn))
	return err
}

func (t *tx) announceStop(key errand.SessionKey, owner errand.Owner, turn int) error {
	tools, err := toolsUsed(t, owner, turn)
	if err != nil {
		return err
	}
	return t.announce(errand.Event{Type: errand.EventNotice, Key: key,
		Session: errand.SessionID(owner), Turn: turn, Text: "The turn was stopped.", Tools: tools})
}

func (t *tx) closeUnopened(owner errand.Owner, turn int, reason string) error {
	_, err := t.Exec(`INSERT INTO turns (owner, turn, conversation, cause, root, person, role, reply_to, open, reason, created, closed)
		VALUES (?, ?, '', '', ?, '', '', '', FALSE, ?, ?, ?)`, owner, turn, turnKey(owner, turn), reason, t.now, t.now)
	if err != nil {
		return err
	}
	if _, err = t.Exec(`UPDATE sessions SET turns = ? WHERE id = ? AND turns < ?`, turn, owner, turn); err != nil {
		return err
	}
	return t.release(`owner = ? AND turn = ?`, owner, turn) // it may have been about to write down a voice note
}

func (t *tx) answerCalls(key errand.StepKey, answer func(PlannedCall) (string, error)) error {
	var rows []struct {
		Idx           int
		Calls, Result string
	}
	// The answer, whose index is 0, and what came of its calls.
	err := t.All(&rows, `SELECT idx, calls, result FROM messages WHERE owner = ? AND turn = ? AND step = ? ORDER BY idx`,
		key.Owner, key.Turn, key.Step)
	if err != nil || len(rows) == 0 || rows[0].Idx != 0 || rows[0].Calls == "" {
		return err
	}
	var calls []errand.ToolCall
	var result StepResult
	if err := json.Unmarshal([]byte(rows[0].Calls), &calls); err != nil {
		return fmt.Errorf("calls of step %s: %w", key, err)
	}
	if err := json.Unmarshal([]byte(rows[0].Result), &result); err != nil {
		return fmt.Errorf("outcome of step %s: %w", key, err)
	}
	answered := make(map[int]bool, len(rows))
	for _, r := range rows {
		answered[r.Idx] = true
	}
	for i, call := range calls {
		if answered[i+1] {
			continue
		}
		var plan PlannedCall
		if i < len(result.Calls) {
			plan = result.Calls[i]
		}
		text, err := answer(plan)
		if err != nil {
			return err
		}
		if plan.By == ByClient && text == "" {
			continue // it is open
		}
		if err := t.insertMessage(key.Owner, errand.Message{
			Turn: key.Turn, Step: key.Step, Index: i + 1, Speaker: errand.FromTool, Text: text, CallID: call.ID,
		}); err != nil {
			return err
		}
	}
	return nil
}

// insertMessage appends m; an entry that is there already stays as it is.
func (t *tx) insertMessage(owner errand.Owner, m errand.Message) error {
	return t.insertOutcome(owner, m, "")
}

func (t *tx) insertOutcome(owner errand.Owner, m errand.Message, result string) error {
	calls := ""
	if len(m.Calls) > 0 {
		b, err := json.Marshal(m.Calls)
		if err != nil {
			return err
		}
		calls = string(b)
	}
	created := micros(m.Created)
	if created == 0 {
		created = t.now
	}
	stateFor, state := "", []byte(nil)
	if m.State != nil && m.State.For != "" {
		stateFor, state = m.State.For, m.State.Data
	}
	_, err := t.Exec(`INSERT INTO messages (owner, turn, step, idx, speaker, agent, text, calls, call_id, own, result, created, state_for, state)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		owner, m.Turn, m.Step, m.Index, m.Speaker, m.Agent, m.Text, calls, m.CallID, m.Own, result, created, stateFor, state)
	return err
}
