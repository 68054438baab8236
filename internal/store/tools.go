package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A Call is a tool call with the data that it needs to run.
type Call struct {
	Key     core.CallKey
	Call    core.ToolCall
	Done    bool   // it has a result
	Result  string // if Done
	Agent   core.AgentName
	Person  core.PersonID
	Session core.SessionID
	Origin  core.Origin // the origin of a task that this call delegates
	Task    *core.Task  // the sub-agent's task; nil for a session
	Nonce   core.Nonce  // of the agent's prompts
	Role    core.Role   // the role with which its activity runs it; empty: unknown
	Again   bool        // it was started before and has no result: it may have had its effect
}

// Actor returns an actor for the person of the call who acts by a tool. The actor has only the
// rights of that tool.
func (c Call) Actor(tool string) actor.Actor {
	by := actor.Actor{Person: c.Person, Role: c.Origin.Role, Here: c.Origin.SessionKey}
	return by.WithTool(tool, c.Agent)
}

// Call returns a tool call, or ErrNotFound. It does not check whether the call may still run;
// [Store.CommitTool] does.
func (s *Store) Call(ctx context.Context, key core.CallKey) (Call, error) {
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
		c.Nonce = core.Nonce(session.Nonce)
		c.Origin = core.Origin{
			// In a shared session the turn names the person.
			Route: session.route(), ReplyTo: turn.ReplyTo, Person: core.PersonID(cmp.Or(turn.Person, session.Person)), Role: core.Role(turn.Role),
			Agent: c.Agent, Session: core.SessionID(session.ID), SessionKey: core.SessionKey(session.Key), Group: session.readByOthers(), Depth: 1,
			Chain: []string{string(c.Agent)}, Root: turn.Root,
		}
	}
	c.Person, c.Session = c.Origin.Person, c.Origin.Session
	return nil
}

// KeepOutcome is how long a worker keeps a result or a paid answer in memory while the store is
// unavailable.
const KeepOutcome = 10 * time.Minute

// A ToolStart is a start of a tool call, with the facts about earlier starts.
type ToolStart struct {
	Number int  // from 1
	Again  bool // it was started before: it may have had its effect
	Lost   int  // how many earlier starts were not returned, because their workers ended or froze
}

// BeginTool records that a tool is about to run, and returns the facts about earlier starts.
// once means that the tool must not run twice. It fails with ErrClosed after the turn or a task
// above it has ended, and with ErrAnswered if the call has a result: while the worker was
// frozen, the agent may have made a new call.
func (s *Store) BeginTool(ctx context.Context, key core.CallKey, once bool) (start ToolStart, err error) {
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

// ReturnTool records that a worker did not run a call after all, so that the tool may be
// started again.
func (s *Store) ReturnTool(ctx context.Context, key core.CallKey) error {
	return s.writeOwner(ctx, key.Owner, func(t *tx) error {
		_, err := t.Exec(`UPDATE begun_calls SET returned = returned + 1 WHERE owner = ? AND turn = ? AND step = ? AND idx = ?`,
			key.Owner, key.Turn, key.Step, key.Index)
		return err
	})
}

// CommitTool stores the result of a tool call. It drops a later result without an error. It
// stores a long result as an artifact; then the transcript has its beginning and end. It fails
// with ErrClosed after the turn or a task above it has ended; the result of an approved call is
// then kept for the next turn.
func (s *Store) CommitTool(ctx context.Context, key core.CallKey, text string) error {
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
		return t.insertMessage(key.Owner, core.Message{
			Turn: key.Turn, Step: key.Step, Index: key.Index, Speaker: core.FromTool, Text: text, CallID: call.ID,
		})
	})
}

func (t *tx) mayAnswer(key core.StepKey) error {
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

func (t *tx) mayBegin(key core.CallKey) error {
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

func plannedCall(q sqldb.Querier, key core.CallKey) (call core.ToolCall, agent core.AgentName, err error) {
	var row struct{ Agent, Calls string }
	_, err = q.Row(&row, `SELECT agent, calls FROM messages WHERE owner = ? AND turn = ? AND step = ? AND idx = 0`, key.Owner, key.Turn, key.Step)
	if err != nil {
		return call, "", err
	}
	var calls []core.ToolCall
	if row.Calls != "" {
		if err := json.Unmarshal([]byte(row.Calls), &calls); err != nil {
			return call, "", fmt.Errorf("calls of step %s: %w", key.StepKey, err)
		}
	}
	if key.Index < 1 || key.Index > len(calls) {
		return call, "", fmt.Errorf("tool call %s: %w", key, ErrNotFound)
	}
	return calls[key.Index-1], core.AgentName(row.Agent), nil
}
