package store

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"errand"
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
}

const (
	outboxColumns = `id, key, channel, account, chat, thread, session_key, agent, task, event, text, reply_to, options,
		state, attempts, error, receipts, created, sent_at, not_before, parts_by, parts, file, question, source`
	unsent = `state IN ('pending', 'sending', 'unknown')`
)

func (r outboxRow) notification() (errand.Notification, error) {
	n := errand.Notification{
		ID: r.ID, Key: r.Key, Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Session: errand.SessionKey(r.SessionKey), Agent: errand.AgentName(r.Agent), Task: errand.TaskID(r.Task),
		Event: errand.EventType(r.Event), Text: r.Text, ReplyTo: r.ReplyTo, State: errand.OutboxState(r.State),
		Attempts: r.Attempts, Error: r.Error, Created: at(r.Created), SentAt: at(r.SentAt),
		NotBefore: at(r.NotBefore), PartsBy: r.PartsBy, Parts: r.Parts, Question: errand.QuestionID(r.Question), Source: errand.SessionKey(r.Source),
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

// enqueue inserts a row of the outbox, once for its key. On channels whose chats
// are read from the event log the row is the delivery; elsewhere tell returns
// its id, for whoever calls the platform.
func (t *tx) enqueue(n errand.Notification, owner errand.Owner, turn int) ([]int64, error) {
	state, sentAt := errand.Pending, int64(0)
	if n.Route.Channel == errand.ChannelWeb {
		state, sentAt = errand.Sent, t.now
	}
	var id int64
	inserted, err := t.Value(&id, `INSERT INTO outbox (key, channel, account, chat, thread, session_key, agent, task, event, text,
		reply_to, options, made_by, made_turn, state, created, sent_at, sends, file, question, source)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id`,
		n.Key, n.Route.Channel, n.Route.Account, n.Route.Chat, n.Route.Thread, n.Session, n.Agent, n.Task, n.Event, n.Text,
		n.ReplyTo, optionsText(n.Options), owner, turn, state, t.now, sentAt, sentFileID(n.File), sentFileText(n.File), n.Question, n.Source)
	if err != nil || !inserted {
		return nil, err
	}
	if state == errand.Sent {
		n.ID = id
		return nil, t.queueBackfill(n, "")
	}
	return []int64{id}, nil
}

// Answer tells somebody what errand itself answers, once for the key of n: a
// command, or a message that was not taken. It goes when its session is deleted,
// if there is one. queued is false if the row was there, or nobody has to be called
// for it.
func (s *Store) Answer(ctx context.Context, n errand.Notification) (queued bool, err error) {
	err = s.write(ctx, string(n.Session), func(t *tx) error {
		var session string
		if n.Session != "" {
			if _, err := t.Value(&session, `SELECT id FROM sessions WHERE key = ? AND state <> 'ended'`, n.Session); err != nil {
				return err
			}
		}
		rows, err := t.enqueue(n, errand.SessionOwner(errand.SessionID(session)), 0)
		queued = len(rows) > 0
		return err
	})
	return queued, err
}

// notify tells the outcome of a task in its sub-agent's own voice and in the
// language of whoever asked for it, to the chat it was delegated from. Where there is
// none, the outcome is kept.
func (t *tx) notify(task *errand.Task, owner errand.Owner, turn int) ([]int64, error) {
	o := task.Origin
	if o.Chat == "" {
		return nil, t.decide(task.ID, errand.WayNone, "", 0)
	}
	var language, zone string
	if _, err := t.Value(&language, `SELECT language FROM people WHERE id = ?`, o.Person); err != nil {
		return nil, err
	}
	if _, err := t.Value(&zone, `SELECT time_zone FROM people WHERE id = ?`, o.Person); err != nil {
		return nil, err
	}
	key, text := "late:"+string(task.ID), t.notificationText(task, language, zone)
	ids, err := t.enqueue(errand.Notification{
		Key: key, Route: o.Route, Session: o.SessionKey, Agent: task.Agents[0], Task: task.ID,
		Event: errand.EventLate, Text: text, ReplyTo: o.ReplyTo, Source: o.Source,
	}, owner, turn)
	if err != nil {
		return nil, err
	}
	if err := t.decide(task.ID, errand.WayNotification, key, 0); err != nil {
		return nil, err
	}
	return ids, t.announce(errand.Event{
		Type: errand.EventLate, Key: o.SessionKey, Session: o.Session, Agent: task.Agents[0], Task: task.ID, State: task.State, Text: text,
	})
}

// FoldFailed gives up on a turn that was to tell results and has not: each of
// them is told by a notification instead, and the turn is closed. It returns
// the rows that a platform has to be called for; none if the turn has its
// reply after all.
func (s *Store) FoldFailed(ctx context.Context, owner errand.Owner, turn int) ([]int64, error) {
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

// unfold tells by a notification each what a turn of a session was given, to be
// folded in or because it waited for it, and will not tell. It returns the rows a platform has to be called for, and how many
// results there were.
func (t *tx) unfold(owner errand.Owner, turn int) (ids []int64, results int, err error) {
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

// recordNotified says at the end of a turn's transcript that a result which it has was
// told without it: no agent takes it for one that is still to be told. The words
// are in the result, which is marked as somebody's report.
func (t *tx) recordNotified(task *errand.Task, owner errand.Owner, turn, index int) error {
	if task.Origin.Chat == "" {
		return nil // it was not
	}
	var step int // of its index 0 is an outcome, and there is none
	if _, err := t.Value(&step, `SELECT COALESCE(MAX(step), 0) + 1 FROM messages WHERE owner = ? AND turn = ? AND idx = 0`, owner, turn); err != nil {
		return err
	}
	return t.insertMessage(owner, errand.Message{Turn: turn, Step: step, Index: index, Speaker: errand.FromAgent, Agent: task.Agents[0],
		Text: notifiedText(task), Own: errand.OwnStatus})
}

func outboxWhere(q sqldb.Querier, where string, args ...any) ([]errand.Notification, error) {
	var rows []outboxRow
	if err := q.All(&rows, `SELECT `+outboxColumns+` FROM outbox WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]errand.Notification, len(rows))
	for i, r := range rows {
		n, err := r.notification()
		if err != nil {
			return nil, err
		}
		list[i] = n
	}
	return list, nil
}

// NextOutbox returns the oldest row of route that still has to be sent; nil if
// there is none. What is blocked waits for a person and holds up nothing.
func (s *Store) NextOutbox(ctx context.Context, route errand.Route) (*errand.Notification, error) {
	list, err := outboxWhere(s.read(ctx), `channel = ? AND account = ? AND chat = ? AND thread = ? AND `+unsent+` ORDER BY id LIMIT 1`,
		route.Channel, route.Account, route.Chat, route.Thread)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	return &list[0], nil
}

// OlderOpen reports whether a row of the same route has to be sent before n.
func (s *Store) OlderOpen(ctx context.Context, n errand.Notification) (bool, error) {
	next, err := s.NextOutbox(ctx, n.Route)
	return next != nil && next.ID < n.ID, err
}

// Notification returns a row by its id, or ErrNotFound.
func (s *Store) Notification(ctx context.Context, id int64) (errand.Notification, error) {
	list, err := outboxWhere(s.read(ctx), `id = ?`, id)
	if err != nil {
		return errand.Notification{}, err
	}
	if len(list) == 0 {
		return errand.Notification{}, fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
	}
	return list[0], nil
}

// Outbox returns the rows in the given states, or all, newest first. limit 0
// means 100.
func (s *Store) Outbox(ctx context.Context, states []errand.OutboxState, limit int) ([]errand.Notification, error) {
	return s.Deliveries(ctx, states, Page{Limit: limit})
}

// Deliveries returns a page of what [Store.Outbox] does.
func (s *Store) Deliveries(ctx context.Context, states []errand.OutboxState, p Page) ([]errand.Notification, error) {
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

// OpenRoutes returns the routes on which something has to be sent, in their order.
func (s *Store) OpenRoutes(ctx context.Context) iter.Seq2[errand.Route, error] {
	return paginate(func(after *errand.Route) ([]errand.Route, error) {
		if after == nil {
			after = &errand.Route{}
		}
		now, err := s.serverNow(s.read(ctx))
		if err != nil {
			return nil, err
		}
		var routes []errand.Route
		err = s.read(ctx).All(&routes, `SELECT DISTINCT channel, account, chat, thread FROM outbox
			WHERE `+unsent+` AND (state <> 'sending' OR sending_until < ?) AND (channel, account, chat, thread) > (?, ?, ?, ?)
			ORDER BY channel, account, chat, thread LIMIT ?`, now, after.Channel, after.Account, after.Chat, after.Thread, pageRows)
		return routes, err
	})
}

// WaitingRoutes returns the routes on an account on which something is not sent
// yet, or not for certain: the one whose oldest row is the oldest first.
func (s *Store) WaitingRoutes(ctx context.Context, a errand.Account) ([]errand.Route, error) {
	var routes []errand.Route
	err := s.read(ctx).All(&routes, `SELECT channel, account, chat, thread FROM outbox WHERE channel = ? AND account = ? AND `+unsent+`
		GROUP BY channel, account, chat, thread ORDER BY MIN(id)`, a.Channel, a.Name)
	return routes, err
}
