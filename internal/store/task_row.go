package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// Conditions of partial indexes. SQLite uses an index only if a query has the same text.
const (
	open         = `state IN ('submitted', 'working', 'input_required')`
	wayUndecided = `way = '' AND state IN ('completed', 'failed', 'canceled', 'rejected')`
)

type taskRow struct {
	ID           string
	State        string
	Agents       string
	FromAgent    string
	Text         string
	Title        string
	CallerOwner  string
	CallerTurn   int
	CallerStep   int
	CallerIdx    int
	Waits        bool
	Parent       string
	RetryOf      string
	Origin       string
	Conversation string
	Result       string
	Error        string
	Reason       string
	Way          string
	ToldBy       string
	ModelCalls   int
	Tokens       int
	CachedTokens int
	Cost         float64
	Created      int64
	Finished     int64
	Trouble      string
	Delivery     string
	Nonce        string
	Plan         string // JSON: one plan per agent that has one
	Briefing     string // JSON; empty: none
	Added        int
	Continues    string
	First        string
	LateOf       string
	LateFor      string
	LateKind     string
	decisionRow
}

const taskColumns = `id, state, agents, from_agent, text, title, caller_owner, caller_turn, caller_step, caller_idx, waits,
	parent, retry_of, origin, conversation, result, error, reason, way, told_by, model_calls, tokens, cached_tokens, cost, created, finished, trouble, nonce, plan, briefing, added, continues, first, late_of, late_for, late_kind, ` + decisionColumns + `,
	CASE WHEN told_by = '' THEN '' ELSE COALESCE((SELECT o.state FROM outbox o WHERE o.key = tasks.told_by), '') END AS delivery`

func (r *taskRow) task() (core.Task, error) {
	t := core.Task{
		ID: core.TaskID(r.ID), State: core.TaskState(r.State), From: core.AgentName(r.FromAgent), Text: r.Text, Title: r.Title,
		Caller: core.CallKey{
			StepKey: core.StepKey{Owner: core.Owner(r.CallerOwner), Turn: r.CallerTurn, Step: r.CallerStep},
			Index:   r.CallerIdx,
		},
		Nonce: core.Nonce(r.Nonce), Waits: r.Waits, Parent: core.TaskID(r.Parent), RetryOf: core.TaskID(r.RetryOf), Continues: core.TaskID(r.Continues), First: core.TaskID(r.First), LateOf: core.TaskID(r.LateOf), LateFor: core.Owner(r.LateFor), Late: core.LateKind(r.LateKind), Added: r.Added, Result: r.Result, Error: r.Error, Reason: core.Reason(r.Reason),
		Way: core.Way(r.Way), ToldBy: r.ToldBy, Delivery: core.OutboxState(r.Delivery), ModelCalls: r.ModelCalls, Tokens: r.Tokens, Cached: r.CachedTokens, Cost: r.Cost,
		Created: at(r.Created), Finished: at(r.Finished),
	}
	if !t.State.Terminal() {
		t.Trouble = r.Trouble
	}
	if err := json.Unmarshal([]byte(r.Agents), &t.Agents); err != nil {
		return t, fmt.Errorf("agents of task %s: %w", r.ID, err)
	}
	if err := json.Unmarshal([]byte(r.Origin), &t.Origin); err != nil {
		return t, fmt.Errorf("origin of task %s: %w", r.ID, err)
	}
	var err error
	if t.Plans, err = plansOf(r.Plan); err != nil {
		return t, fmt.Errorf("plan of task %s: %w", r.ID, err)
	}
	if t.Briefing, err = briefingOf(r.Briefing); err != nil {
		return t, fmt.Errorf("briefing of task %s: %w", r.ID, err)
	}
	return t, r.decisionRow.into(&t)
}

func tasksWhere(q sqldb.Querier, where string, args ...any) ([]core.Task, error) {
	return tasksOf(q, taskColumns, where, args...)
}

func tasksOf(q sqldb.Querier, columns, where string, args ...any) ([]core.Task, error) {
	var rows []taskRow
	if err := q.All(&rows, `SELECT `+columns+` FROM tasks WHERE `+where, args...); err != nil {
		return nil, err
	}
	tasks := make([]core.Task, len(rows))
	for i := range rows {
		t, err := rows[i].task()
		if err != nil {
			return nil, err
		}
		tasks[i] = t
	}
	return tasks, nil
}

func taskByID(q sqldb.Querier, id core.TaskID) (core.Task, error) {
	tasks, err := tasksWhere(q, `id = ?`, id)
	if err != nil {
		return core.Task{}, err
	}
	if len(tasks) == 0 {
		return core.Task{}, fmt.Errorf("task %s: %w", id, ErrNotFound)
	}
	return tasks[0], nil
}

// conversation returns the key that transactions of a task lock: its session, or the whole tree
// of tasks if there is no session.
func conversation(o core.Origin) string {
	if o.SessionKey != "" {
		return string(o.SessionKey)
	}
	return o.Root
}

func (s *Store) writeTask(ctx context.Context, id core.TaskID, do func(*tx) error) error {
	key, err := s.conversationOf(ctx, id)
	if err != nil {
		return err
	}
	return s.write(ctx, key, do)
}

// conversationOf may read before the lock, because a task's conversation never changes.
func (s *Store) conversationOf(ctx context.Context, id core.TaskID) (string, error) {
	if !s.db.Postgres() {
		return "", nil
	}
	var key string
	found, err := s.read(ctx).Value(&key, `SELECT conversation FROM tasks WHERE id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("task %s: %w", id, ErrNotFound)
	}
	return key, err
}

// fillChat copies the chat of its session into an origin without a chat. An origin without chat
// and session has no reader.
func (t *tx) fillChat(o *core.Origin) error {
	if o.Chat != "" || o.Session == "" && o.SessionKey == "" {
		return nil
	}
	var session sessionRow
	found, err := t.Row(&session, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, o.Session)
	if err != nil {
		return err
	}
	if found {
		o.Route = session.route()
	} else if r, _, err := o.SessionKey.Parse(); err == nil {
		o.Route = r
	}
	return nil
}

func (t *tx) insertTask(task *core.Task) error {
	agents, err := json.Marshal(task.Agents)
	if err != nil {
		return err
	}
	following, err := branchesText(task)
	if err != nil {
		return err
	}
	if err := t.fillChat(&task.Origin); err != nil {
		return err
	}
	task.State, task.Title, task.Created = core.Submitted, core.Title(task.Text), at(t.now)
	if task.Nonce == "" {
		task.Nonce = core.NewNonce()
	}
	for range 100 {
		task.ID = t.s.draw()
		o := task.Origin
		if o.Root == "" {
			o.Root = "task:" + string(task.ID)
		}
		origin, err := json.Marshal(o)
		if err != nil {
			return err
		}
		n, err := t.Exec(`INSERT INTO tasks (id, state, agents, from_agent, text, title, fingerprint,
			caller_owner, caller_turn, caller_step, caller_idx, waits, parent, retry_of,
			origin, person, session_key, session, source, depth, conversation, created, nonce, continues, first, policy, deadline, branches, follows, late_of, late_for, late_kind)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			task.ID, task.State, string(agents), task.From, task.Text, task.Title, fingerprint(task.Agents, task.Text),
			task.Caller.Owner, task.Caller.Turn, task.Caller.Step, task.Caller.Index, task.Waits, task.Parent, task.RetryOf,
			string(origin), o.Person, o.SessionKey, o.Session, o.Source, o.Depth, conversation(o), t.now, task.Nonce, task.Continues, task.First, task.Policy, micros(task.Deadline), following, task.Follows, task.LateOf, task.LateFor, task.Late)
		if err != nil {
			return err
		}
		if n == 1 {
			task.Origin = o
			if task.Late != "" {
				return nil // it was never open; only its end is announced
			}
			return t.announceTask(task)
		}
	}
	return fmt.Errorf("draw a task id: every one of 100 was taken")
}

func fingerprint(agents []core.AgentName, text string) string {
	folded := strings.ToLower(strings.Join(strings.Fields(text), " "))
	sum := sha256.Sum256([]byte(strings.Join(append(core.Strings(agents), folded), "\x00")))
	return hex.EncodeToString(sum[:16])
}

func planned(t *core.Task) PlannedCall {
	return PlannedCall{Index: t.Caller.Index, By: ByDelegation, Task: t.ID, Waits: t.Waits}
}
