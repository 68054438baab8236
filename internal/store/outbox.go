package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

type outboxRow struct {
	ID         int64
	Key        string
	Channel    string
	Account    string
	Chat       string
	Thread     string
	SessionKey string
	Agent      string
	Task       string
	Event      string
	Text       string
	ReplyTo    string
	Replaces   string
	Options    string
	State      string
	Attempts   int
	Error      string
	Receipts   string
	Created    int64
	SentAt     int64
	NotBefore  int64
	PartsBy    string
	Parts      int
	File       string
	Question   string
	Source     string
	Restored   int64
	Repeats    bool
}

const (
	outboxColumns = `id, key, channel, account, chat, thread, session_key, agent, task, event, text, reply_to, replaces, options,
		state, attempts, error, receipts, created, sent_at, not_before, parts_by, parts, file, question, source, restored, repeats`
	unsent = `state IN ('pending', 'sending', 'unknown')`
)

func (r outboxRow) notification() (core.Notification, error) {
	n := core.Notification{
		ID: r.ID, Key: r.Key, Route: core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Session: core.SessionKey(r.SessionKey), Agent: core.AgentName(r.Agent), Task: core.TaskID(r.Task),
		Event: core.EventType(r.Event), Text: r.Text, ReplyTo: r.ReplyTo, Replaces: r.Replaces, State: core.OutboxState(r.State),
		Attempts: r.Attempts, Error: r.Error, Created: at(r.Created), SentAt: at(r.SentAt),
		NotBefore: at(r.NotBefore), PartsBy: r.PartsBy, Parts: r.Parts, Question: core.QuestionID(r.Question), Source: core.SessionKey(r.Source),
		Restored: r.Restored, Repeated: r.Repeats,
	}
	var err error
	if n.File, err = sentFileOf(r.File); err != nil {
		return n, err
	}
	if n.Options, err = optionsOf(r.Options); err != nil || r.Receipts == "" {
		return n, err
	}
	if err := json.Unmarshal([]byte(r.Receipts), &n.Receipts); err != nil {
		return n, fmt.Errorf("receipts of outbox row %d: %w", r.ID, err)
	}
	return n, nil
}

// enqueue inserts a row once per key. It returns the id of a row that has to be sent to a
// platform. Channels that read the event log need no sending.
func (t *tx) enqueue(n core.Notification, owner core.Owner, turn int) ([]int64, error) {
	state, sentAt := core.Pending, int64(0)
	if n.Route.Channel == core.ChannelWeb {
		state, sentAt = core.Sent, t.now
	}
	repeats, err := t.wasTold(n, owner, turn)
	if err != nil {
		return nil, err
	}
	var id int64
	inserted, err := t.Value(&id, `INSERT INTO outbox (key, channel, account, chat, thread, session_key, agent, task, event, text,
		reply_to, replaces, options, made_by, made_turn, state, created, sent_at, sends, file, question, source, restored, repeats)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id`,
		n.Key, n.Route.Channel, n.Route.Account, n.Route.Chat, n.Route.Thread, n.Session, n.Agent, n.Task, n.Event, n.Text,
		n.ReplyTo, n.Replaces, optionsText(n.Options), owner, turn, state, t.now, sentAt, sentFileID(n.File), sentFileText(n.File), n.Question, n.Source,
		t.s.restored, repeats)
	if err != nil || !inserted {
		return nil, err
	}
	if state == core.Sent {
		n.ID = id
		return nil, t.queueBackfill(n, "")
	}
	return []int64{id}, t.growBelow(id, n, owner)
}

// Answer queues an answer from errand itself to a command or a refused message, once per key of
// n. If there is a session, the answer is deleted with it. queued is false if the row existed,
// or if it needs no sending.
func (s *Store) Answer(ctx context.Context, n core.Notification) (queued bool, err error) {
	err = s.write(ctx, string(n.Session), func(t *tx) error {
		var session string
		if n.Session != "" {
			if _, err := t.Value(&session, `SELECT id FROM sessions WHERE key = ? AND state <> 'ended'`, n.Session); err != nil {
				return err
			}
		}
		rows, err := t.enqueue(n, core.SessionOwner(core.SessionID(session)), 0)
		queued = len(rows) > 0
		return err
	})
	return queued, err
}

// notify queues a notification of the outcome for the chat in which the task was requested.
// Without a chat the outcome is only stored.
func (t *tx) notify(task *core.Task, owner core.Owner, turn int) ([]int64, error) {
	o := task.Origin
	if o.Chat == "" {
		return nil, t.decide(task.ID, core.WayNone, "", 0)
	}
	var language, zone string
	if _, err := t.Value(&language, `SELECT language FROM people WHERE id = ?`, o.Person); err != nil {
		return nil, err
	}
	if _, err := t.Value(&zone, `SELECT time_zone FROM people WHERE id = ?`, o.Person); err != nil {
		return nil, err
	}
	key, text := "late:"+string(task.ID), t.notificationText(task, language, zone)
	ids, err := t.enqueue(core.Notification{
		Key: key, Route: o.Route, Session: o.SessionKey, Agent: task.Agents[0], Task: task.ID,
		Event: core.EventLate, Text: text, ReplyTo: o.ReplyTo, Source: o.Source,
	}, owner, turn)
	if err != nil {
		return nil, err
	}
	if err := t.decide(task.ID, core.WayNotification, key, 0); err != nil {
		return nil, err
	}
	return ids, t.announce(core.Event{
		Type: core.EventLate, Key: o.SessionKey, Session: o.Session, Agent: task.Agents[0], Task: task.ID, State: task.State, Text: text,
	})
}

// FoldFailed gives up on a turn that should have reported results and did not. It closes the
// turn and delivers each result as a notification. It returns the rows to send; none if the
// turn has its reply after all.
func (s *Store) FoldFailed(ctx context.Context, owner core.Owner, turn int) ([]int64, error) {
	var ids []int64
	err := s.writeOwner(ctx, owner, func(t *tx) error {
		ids = nil
		row, found, err := turnOf(t, owner, turn)
		if err != nil || found && row.Replied {
			return err
		}
		if ids, _, err = t.unfold(owner, turn); err != nil {
			return err
		}
		return t.closeTurn(owner, turn, "the results could not be told by the agent")
	})
	return ids, err
}

// unfold turns the results that a turn was given and will not report into notifications. It
// returns the rows to send and the number of results.
func (t *tx) unfold(owner core.Owner, turn int) (ids []int64, results int, err error) {
	tasks, err := tasksWhere(t, `told_by = ? AND told_by <> '' AND way IN ('fold', 'turn') AND depth <= 1 ORDER BY finished`, turnKey(owner, turn))
	if err != nil {
		return nil, 0, err
	}
	for i := range tasks {
		if _, err := t.Exec(`UPDATE tasks SET way = '', told_by = '' WHERE id = ?`, tasks[i].ID); err != nil {
			return nil, 0, err
		}
		made, err := t.notify(&tasks[i], owner, turn)
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, made...)
		if err := t.recordNotified(&tasks[i], owner, turn, i+1); err != nil {
			return nil, 0, err
		}
	}
	return ids, len(tasks), nil
}

// recordNotified writes into the transcript that a result of the turn was delivered as a
// notification, so that no agent reports it again.
func (t *tx) recordNotified(task *core.Task, owner core.Owner, turn, index int) error {
	if task.Origin.Chat == "" {
		return nil // there was no notification
	}
	var step int // a new step, whose outcome (index 0) is missing
	if _, err := t.Value(&step, `SELECT COALESCE(MAX(step), 0) + 1 FROM messages WHERE owner = ? AND turn = ? AND idx = 0`, owner, turn); err != nil {
		return err
	}
	return t.insertMessage(owner, core.Message{Turn: turn, Step: step, Index: index, Speaker: core.FromAgent, Agent: task.Agents[0],
		Text: notifiedText(task), Own: core.OwnStatus})
}

func outboxWhere(q sqldb.Querier, where string, args ...any) ([]core.Notification, error) {
	var rows []outboxRow
	if err := q.All(&rows, `SELECT `+outboxColumns+` FROM outbox WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]core.Notification, len(rows))
	for i, r := range rows {
		n, err := r.notification()
		if err != nil {
			return nil, err
		}
		list[i] = n
	}
	return list, nil
}

// NextOutbox returns the oldest row of a route that still has to be sent; nil: none. Blocked
// rows wait for a person and do not delay others.
func (s *Store) NextOutbox(ctx context.Context, route core.Route) (*core.Notification, error) {
	return oldestUnsent(s.read(ctx), `channel = ? AND account = ? AND chat = ? AND thread = ?`, route.Channel, route.Account, route.Chat, route.Thread)
}

// NextOutboxOf is [Store.NextOutbox] for the route of a row.
func (s *Store) NextOutboxOf(ctx context.Context, id int64) (*core.Notification, error) {
	return oldestUnsent(s.read(ctx), `(channel, account, chat, thread) = (SELECT channel, account, chat, thread FROM outbox WHERE id = ?)`, id)
}

func oldestUnsent(q sqldb.Querier, where string, args ...any) (*core.Notification, error) {
	list, err := outboxWhere(q, where+` AND `+unsent+` ORDER BY id LIMIT 1`, args...)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// Notification returns a row by its id, or ErrNotFound.
func (s *Store) Notification(ctx context.Context, id int64) (core.Notification, error) {
	list, err := outboxWhere(s.read(ctx), `id = ?`, id)
	if err != nil {
		return core.Notification{}, err
	}
	if len(list) == 0 {
		return core.Notification{}, fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
	}
	return list[0], nil
}

// Deliveries returns a page of the rows in the given states, or in all states, newest first.
// The default limit is 100.
func (s *Store) Deliveries(ctx context.Context, states []core.OutboxState, p Page) ([]core.Notification, error) {
	where, args := `TRUE`, []any{}
	if len(states) > 0 {
		where = `state IN (` + sqldb.Placeholders(len(states)) + `)`
		for _, st := range states {
			args = append(args, st)
		}
	}
	behind, values, err := outboxOrder.behind(p.After)
	if err != nil {
		return nil, err
	}
	return outboxWhere(s.read(ctx), where+" AND "+behind+outboxOrder.by()+" LIMIT ?", append(append(args, values...), orDefault(p.Limit, 100))...)
}

// OpenRoutes returns the routes with rows to send, in the order of their fields.
func (s *Store) OpenRoutes(ctx context.Context) iter.Seq2[core.Route, error] {
	return paginate(func(after *core.Route) ([]core.Route, error) {
		if after == nil {
			after = &core.Route{}
		}
		now, err := s.serverNow(s.read(ctx))
		if err != nil {
			return nil, err
		}
		var routes []core.Route
		err = s.read(ctx).All(&routes, `SELECT DISTINCT channel, account, chat, thread FROM outbox
			WHERE `+unsent+` AND (state <> 'sending' OR sending_until < ?) AND (channel, account, chat, thread) > (?, ?, ?, ?)
			ORDER BY channel, account, chat, thread LIMIT ?`, now, after.Channel, after.Account, after.Chat, after.Thread, pageRows)
		return routes, err
	})
}

// WaitingRoutes returns the routes of an account with unsent rows or rows in doubt, ordered by
// their oldest row.
func (s *Store) WaitingRoutes(ctx context.Context, a core.Account) ([]core.Route, error) {
	var routes []core.Route
	err := s.read(ctx).All(&routes, `SELECT channel, account, chat, thread FROM outbox WHERE channel = ? AND account = ? AND `+unsent+`
		GROUP BY channel, account, chat, thread ORDER BY MIN(id)`, a.Channel, a.Name)
	return routes, err
}
