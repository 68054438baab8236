package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/prompt"
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
	Growing      string
	Grown        int
	Open         bool
	Replied      bool
	Created      int64
}

const turnColumns = `turn, conversation, cause, root, person, role, reply_to, growing, grown, open, replied, created`

// turnKey returns the key of the budget of a turn's tree, and of the outbox row with its reply.
func turnKey(owner core.Owner, turn int) string { return fmt.Sprintf("turn:%s:%d", owner, turn) }

func turnOf(q sqldb.Querier, owner core.Owner, turn int) (turnRow, bool, error) {
	var row turnRow
	found, err := q.Row(&row, `SELECT `+turnColumns+` FROM turns WHERE owner = ? AND turn = ?`, owner, turn)
	return row, found, err
}

func (t *tx) alive(task *core.Task) error {
	if task == nil {
		return nil
	}
	if task.State.Terminal() {
		return fmt.Errorf("task %s is %s: %w", task.ID, task.State, ErrClosed)
	}
	// bounded by the depth of tasks
	for id := task.Parent; id != ""; {
		var up struct{ State, Parent string }
		found, err := t.Row(&up, `SELECT state, parent FROM tasks WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if found && core.TaskState(up.State).Terminal() {
			return fmt.Errorf("task %s above %s is %s: %w", id, task.ID, up.State, ErrClosed)
		}
		id = core.TaskID(up.Parent)
	}
	return nil
}

func ownTask(q sqldb.Querier, owner core.Owner) (*core.Task, error) {
	id, _, ok := owner.Task()
	if !ok {
		return nil, nil
	}
	task, err := taskByID(q, id)
	return &task, err
}

func (s *Store) writeOwner(ctx context.Context, owner core.Owner, do func(*tx) error) error {
	if id, _, ok := owner.Task(); ok {
		return s.writeTask(ctx, id, do)
	}
	if !s.db.Postgres() {
		return s.write(ctx, "", do)
	}
	// The conversation of a session never changes, so it may be read before the lock.
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

// CloseTurn closes a turn without a reply: from then on the store refuses its steps and their
// outcomes. It also closes a turn that has not begun. It does not change a turn that is closed
// or has a reply.
func (s *Store) CloseTurn(ctx context.Context, owner core.Owner, turn int, reason string) error {
	return s.writeOwner(ctx, owner, func(t *tx) error { return t.closeTurn(owner, turn, reason) })
}

func (t *tx) closeTurn(owner core.Owner, turn int, reason string) error {
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
	if row.Growing != "" {
		if err := t.dropGrowing(owner, row); err != nil {
			return err
		}
	}
	if err := t.release(`owner = ? AND turn = ?`, owner, turn); err != nil {
		return err
	}
	if err := t.keepPartial(core.SessionKey(row.Conversation), owner, turn); err != nil {
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
	drawn := core.NewNonce()
	return t.answerCalls(core.StepKey{Owner: owner, Turn: turn, Step: step}, func(c PlannedCall) (string, error) {
		if c.By == ByApproval && reason != StoppedTurn && reason != ResetTurn {
			return t.interrupted(c.Question, nonce)
		}
		if c.By != ByDelegation {
			return core.StoppedByPerson, nil
		}
		// A stopped turn ends the tasks for which it waits, and tasks that have not begun.
		task, err := taskByID(t, c.Task)
		if err != nil || reason != StoppedTurn || !c.Waits && task.State != core.Submitted {
			return prompt.Reseal(nonce, task.Report(drawn), drawn), err
		}
		closed, err := t.closeTree(c.Task, core.ReasonStopped.Text(), true)
		t.closed = append(t.closed, closed...)
		return core.StoppedByPerson, err
	})
}

const longestPartial = 100_000

// keepPartial stores the unfinished reply for people. Models do not get it, because they would
// continue what was stopped.
func (t *tx) keepPartial(key core.SessionKey, owner core.Owner, turn int) error {
	if _, _, sub := owner.Task(); sub || key == "" {
		return nil
	}
	partial, ok := t.s.bus.Partial(key)
	if !ok || partial.Turn != turn || core.SessionOwner(partial.Session) != owner || strings.TrimSpace(partial.Text) == "" {
		return nil
	}
	return t.announce(core.Event{Type: core.EventPartial, Key: key, Session: partial.Session, Turn: turn, Agent: partial.Agent, Text: core.Cut(partial.Text, longestPartial)})
}

// giveBack handles the results that a turn will not report: those of a stopped turn become
// notifications, those of an interrupted turn go to the next turn, and those of a reset turn to
// the next session.
func (t *tx) giveBack(row turnRow, owner core.Owner, turn int, reason string) error {
	if _, _, sub := owner.Task(); sub {
		return nil
	}
	if reason == StoppedTurn || reason == ResetTurn {
		if err := t.remindStopped(core.SessionKey(row.Conversation), owner, turn); err != nil {
			return err
		}
	}
	if reason != StoppedTurn {
		if err := t.undecide(owner, turn, core.WayFold, core.WayTurn); err != nil || reason != ResetTurn {
			return err
		}
		return t.announceStop(core.SessionKey(row.Conversation), owner, turn)
	}
	if _, _, err := t.unfold(owner, turn); err != nil {
		return err
	}
	return t.announceStop(core.SessionKey(row.Conversation), owner, turn)
}

// undecide lets go of the results that a turn would have reported in one of ways.
func (t *tx) undecide(owner core.Owner, turn int, ways ...core.Way) error {
	for _, way := range ways {
		_, err := t.Exec(`UPDATE tasks SET way = '', told_by = '', told_step = 0
			WHERE told_by = ? AND told_by <> '' AND way = ? AND depth <= 1`, turnKey(owner, turn), way)
		if err != nil {
			return err
		}
	}
	return nil
}

// TurnStopped is the text of the notice that a turn was stopped. Services show it in the language
// of the person who reads it.
const TurnStopped = "The turn was stopped."

func (t *tx) announceStop(key core.SessionKey, owner core.Owner, turn int) error {
	tools, err := toolsUsed(t, owner, turn, "")
	if err != nil {
		return err
	}
	return t.announce(core.Event{Type: core.EventNotice, Key: key,
		Session: core.SessionID(owner), Turn: turn, Text: TurnStopped, Tools: tools})
}

func (t *tx) closeUnopened(owner core.Owner, turn int, reason string) error {
	_, err := t.Exec(`INSERT INTO turns (owner, turn, conversation, cause, root, person, role, reply_to, open, reason, created, closed)
		VALUES (?, ?, '', '', ?, '', '', '', FALSE, ?, ?, ?)`, owner, turn, turnKey(owner, turn), reason, t.now, t.now)
	if err != nil {
		return err
	}
	if _, err = t.Exec(`UPDATE sessions SET turns = ? WHERE id = ? AND turns < ?`, turn, owner, turn); err != nil {
		return err
	}
	return t.release(`owner = ? AND turn = ?`, owner, turn) // for a transcription
}

func (t *tx) answerCalls(key core.StepKey, answer func(PlannedCall) (string, error)) error {
	var rows []struct {
		Idx           int
		Calls, Result string
	}
	// The answer, with index 0, and the results of its calls.
	err := t.All(&rows, `SELECT idx, calls, result FROM messages WHERE owner = ? AND turn = ? AND step = ? ORDER BY idx`,
		key.Owner, key.Turn, key.Step)
	if err != nil || len(rows) == 0 || rows[0].Idx != 0 || rows[0].Calls == "" {
		return err
	}
	var calls []core.ToolCall
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
			continue // the program still has to answer it
		}
		if err := t.insertMessage(key.Owner, core.Message{
			Turn: key.Turn, Step: key.Step, Index: i + 1, Speaker: core.FromTool, Text: text, CallID: call.ID,
		}); err != nil {
			return err
		}
	}
	return nil
}

// insertMessage does not change an existing message.
func (t *tx) insertMessage(owner core.Owner, m core.Message) error {
	return t.insertOutcome(owner, m, "")
}

func (t *tx) insertOutcome(owner core.Owner, m core.Message, result string) error {
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

// Work is what an activity works on: a turn, or, if Turn is 0, the task of a sub-agent.
type Work struct {
	Owner core.Owner
	Turn  int
}

// ClosedWork returns the turns among work that were closed without a reply, and the tasks that
// have ended. work has at most 500 items.
func (s *Store) ClosedWork(ctx context.Context, work []Work) ([]Work, error) {
	var turns, tasks []any
	for _, w := range work {
		if id, _, ok := w.Owner.Task(); ok && w.Turn == 0 {
			tasks = append(tasks, id)
		} else {
			turns = append(turns, w.Owner, w.Turn)
		}
	}
	q := s.read(ctx)
	var closed []Work
	if len(turns) > 0 {
		pairs := strings.TrimSuffix(strings.Repeat(`(?, CAST(? AS BIGINT)), `, len(turns)/2), `, `)
		if err := q.All(&closed, `SELECT owner, turn FROM turns WHERE NOT open AND NOT replied AND (owner, turn) IN (VALUES `+pairs+`)`, turns...); err != nil {
			return nil, err
		}
	}
	if len(tasks) == 0 {
		return closed, nil
	}
	var ended []core.TaskID
	if err := q.All(&ended, `SELECT id FROM tasks WHERE NOT (`+open+`) AND id IN (`+sqldb.Placeholders(len(tasks))+`)`, tasks...); err != nil {
		return nil, err
	}
	for _, w := range work {
		if id, _, _ := w.Owner.Task(); w.Turn == 0 && slices.Contains(ended, id) {
			closed = append(closed, w)
		}
	}
	return closed, nil
}
