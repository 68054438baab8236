package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A Tool call with what it needs to be carried out.
type Call struct {
	Key     errand.CallKey
	Call    errand.ToolCall
	Done    bool   // it has a result already
	Result  string // if Done
	Agent   errand.AgentName
	Person  errand.PersonID
	Session errand.SessionID
	Origin  errand.Origin // what a task delegated here would carry
	Task    *errand.Task  // the sub-agent's own task; nil for a session
	Nonce   errand.Nonce  // of the agent's prompts
	Role    errand.Role   // what it runs with, as the activity that runs it has found out; empty: nothing
	Again   bool          // it was started before and has no result: it may have had its effect
}

// Call returns a tool call with what it needs to be carried out, or
// ErrNotFound. Whether it may still be is for [Store.CommitTool] to say.
func (s *Store) Call(ctx context.Context, key errand.CallKey) (Call, error) {
	q := s.read(ctx)
	c := Call{Key: key}
	var err error
	if c.Call, c.Agent, err = plannedCall(q, key); err != nil {
		return c, err
	}
	c.Done, err = q.Value(&c.Result, `SELECT text FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`,
		key.Owner, key.Turn, key.Step, key.Index)
	if err != nil {
		return c, err
	}
	var one int
	begun, err := q.Value(&one, `SELECT 1 FROM begun_calls WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, key.Owner, key.Turn, key.Step, key.Index)
	if err != nil {
		return c, err
	}
	c.Again = begun && !c.Done
	return c, c.fillOrigin(q)
}

func (c *Call) fillOrigin(q sqldb.Querier) error {
	task, err := ownTask(q, c.Key.Owner)
	if err != nil {
		return err
	}
	if task != nil {
		c.Task, c.Origin, c.Nonce = task, nestedOrigin(task.Origin, c.Agent), task.Nonce
		if c.Origin.Group, err = readByOthers(q, task.Origin); err != nil {
			return err
		}
	} else {
		var session sessionRow
		if _, err := q.Row(&session, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, c.Key.Owner); err != nil {
			return err
		}
		turn, _, err := turnOf(q, c.Key.Owner, c.Key.Turn)
		if err != nil {
			return err
		}
		c.Nonce = errand.Nonce(session.Nonce)
		c.Origin = errand.Origin{
			// In a session that several share the turn says whose it is.
			Route: session.route(), ReplyTo: turn.ReplyTo, Person: errand.PersonID(cmp.Or(turn.Person, session.Person)), Role: errand.Role(turn.Role),
			Agent: c.Agent, Session: errand.SessionID(session.ID), SessionKey: errand.SessionKey(session.Key), Group: session.readByOthers(), Depth: 1,
			Chain: []string{string(c.Agent)}, Root: turn.Root,
		}
	}
	c.Person, c.Session = c.Origin.Person, c.Origin.Session
	return nil
}

// KeepOutcome is how long a worker keeps the result of a tool, or an answer that is paid
// for, in memory while the store is away.
const KeepOutcome = 10 * time.Minute

// A ToolStart is a start of a tool call, with what is known of the ones before it.
type ToolStart struct {
	Number int  // from 1
	Again  bool // there was one: whether the tool had its effect is not known
	Lost   int  // how many of those starts were not given back: their workers ended or stand still
}

// BeginTool notes that a tool is about to run, and returns what happened before. once says
// that it must not run twice. It fails with ErrClosed after the turn or a task above it has
// ended, and with ErrAnswered if the call has a result: a worker that stood still for long
// finds it given up, and the agent may have called the tool again.
func (s *Store) BeginTool(ctx context.Context, key errand.CallKey, once bool) (start ToolStart, err error) {
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayBegin(key); err != nil {
			return err
		}
		var row struct{ Starts, Returned int }
		_, err := t.Row(&row, `INSERT INTO begun_calls (owner, turn, step, idx, begun, once) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (owner, turn, step, idx) DO UPDATE SET starts = begun_calls.starts + 1 RETURNING starts, returned`,
			key.Owner, key.Turn, key.Step, key.Index, t.now, once)
		start = ToolStart{Number: row.Starts, Again: row.Starts > 1, Lost: row.Starts - 1 - row.Returned}
		return err
	})
	return start, err
}

// ReturnTool notes that a worker gives a call back that it has begun: it lives, or ends
// gracefully, and the tool may be started again.
func (s *Store) ReturnTool(ctx context.Context, key errand.CallKey) error {
	return s.writeOwner(ctx, key.Owner, func(t *tx) error {
		_, err := t.Exec(`UPDATE begun_calls SET returned = returned + 1 WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`,
			key.Owner, key.Turn, key.Step, key.Index)
		return err
	})
}

// CommitTool makes the result of a tool call durable. The first one stays; a
// later one is dropped without an error. Of one that is too long for a model the
// beginning and the end stay in the transcript, and the whole as an artifact. It fails
// with ErrClosed after the turn or a task above it has ended; of a call that was approved
// the result is kept then for the next turn, if one follows.
func (s *Store) CommitTool(ctx context.Context, key errand.CallKey, text string) error {
	return s.writeOwner(ctx, key.Owner, func(t *tx) error {
		if err := t.mayAnswer(key.StepKey); err != nil {
			return t.keepOutcome(key, text, err)
		}
		call, _, err := plannedCall(t, key)
		if err != nil {
			return err
		}
		text, err := t.shorten(key, call.Name, text)
		if err != nil {
			return err
		}
		return t.insertMessage(key.Owner, errand.Message{
			Turn: key.Turn, Step: key.Step, Index: key.Index, Speaker: errand.FromTool, Text: text, CallID: call.ID,
		})
	})
}

// mayAnswer refuses what is done for a step whose turn, or a task above it, has ended.
func (t *tx) mayAnswer(key errand.StepKey) error {
	turn, found, err := turnOf(t, key.Owner, key.Turn)
	if err != nil {
		return err
	}
	if !found || !turn.Open {
		return fmt.Errorf("turn %d of %s: %w", key.Turn, key.Owner, ErrClosed)
	}
	task, err := ownTask(t, key.Owner)
	if err != nil {
		return err
	}
	return t.alive(task)
}

// mayBegin refuses a call as mayAnswer does, and with ErrAnswered if it has a result.
func (t *tx) mayBegin(key errand.CallKey) error {
	if err := t.mayAnswer(key.StepKey); err != nil {
		return err
	}
	var one int
	answered, err := t.Value(&one, `SELECT 1 FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`, key.Owner, key.Turn, key.Step, key.Index)
	if err == nil && answered {
		return ErrAnswered
	}
	return err
}

// plannedCall returns a call as its agent has made it, or ErrNotFound.
func plannedCall(q sqldb.Querier, key errand.CallKey) (call errand.ToolCall, agent errand.AgentName, err error) {
	var row struct{ Agent, Calls string }
	_, err = q.Row(&row, `SELECT agent, calls FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = 0`, key.Owner, key.Turn, key.Step)
	if err != nil {
		return call, "", err
	}
	var calls []errand.ToolCall
	if row.Calls != "" {
		if err := json.Unmarshal([]byte(row.Calls), &calls); err != nil {
			return call, "", fmt.Errorf("calls of step %s: %w", key.StepKey, err)
		}
	}
	if key.Index < 1 || key.Index > len(calls) {
		return call, "", fmt.Errorf("tool call %s: %w", key, ErrNotFound)
	}
	return calls[key.Index-1], errand.AgentName(row.Agent), nil
}
