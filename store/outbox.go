package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"errand"
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
}

const (
	outboxColumns = `id, key, channel, account, chat, thread, session_key, agent, task, event, text, reply_to, options,
		state, attempts, error, receipts, created, sent_at, not_before`
	unsent = `state IN ('pending', 'sending', 'unknown')`
)

func (r outboxRow) notification() (errand.Notification, error) {
	n := errand.Notification{
		ID: r.ID, Key: r.Key, Route: errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread},
		Session: errand.SessionKey(r.SessionKey), Agent: errand.AgentName(r.Agent), Task: errand.TaskID(r.Task),
		Event: errand.EventType(r.Event), Text: r.Text, ReplyTo: r.ReplyTo, State: errand.OutboxState(r.State),
		Attempts: r.Attempts, Error: r.Error, Created: at(r.Created), SentAt: at(r.SentAt),
		NotBefore: at(r.NotBefore),
	}
	var err error
	if n.Options, err = optionsOf(r.Options); err != nil || r.Receipts == "" {
		return n, err
	}
	if err := json.Unmarshal([]byte(r.Receipts), &n.Receipts); err != nil {
		return n, fmt.Errorf("receipts of outbox row %d: %w", r.ID, err)
	}
	return n, nil
}

// tell inserts a row of the outbox, once for its key. On channels whose chats
// are read from the event log the row is the delivery; elsewhere tell returns
// its id, for whoever calls the platform.
func (t *tx) tell(n errand.Notification, owner errand.Owner, turn int) ([]int64, error) {
	state, sentAt := errand.Pending, int64(0)
	if n.Route.Channel == errand.ChannelWeb {
		state, sentAt = errand.Sent, t.now
	}
	var id int64
	inserted, err := t.value(&id, `INSERT INTO outbox (key, channel, account, chat, thread, session_key, agent, task, event, text,
		reply_to, options, made_by, made_turn, state, created, sent_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id`,
		n.Key, n.Route.Channel, n.Route.Account, n.Route.Chat, n.Route.Thread, n.Session, n.Agent, n.Task, n.Event, n.Text,
		n.ReplyTo, optionsText(n.Options), owner, turn, state, t.now, sentAt)
	if err != nil || !inserted || state == errand.Sent {
		return nil, err
	}
	return []int64{id}, nil
}

// Answer tells somebody what errand itself answers, once for the key of n: a
// command, or a message that was not taken. It goes when its session is deleted,
// if there is one. told is false if the row was there, or nobody has to be called
// for it.
func (s *Store) Answer(ctx context.Context, n errand.Notification) (told bool, err error) {
	err = s.write(ctx, string(n.Session), func(t *tx) error {
		var session string
		if n.Session != "" {
			if _, err := t.value(&session, `SELECT id FROM sessions WHERE key = ? AND state <> 'ended'`, n.Session); err != nil {
				return err
			}
		}
		rows, err := t.tell(n, errand.SessionOwner(errand.SessionID(session)), 0)
		told = len(rows) > 0
		return err
	})
	return told, err
}

// notify tells the outcome of a task in its sub-agent's own voice, to the chat
// it was delegated from. Where there is none, the outcome is kept.
func (t *tx) notify(task *errand.Task, owner errand.Owner, turn int) ([]int64, error) {
	o := task.Origin
	if o.Chat == "" {
		return nil, t.decide(task.ID, errand.WayNone, "", 0)
	}
	key, text := "late:"+string(task.ID), task.Notification()
	ids, err := t.tell(errand.Notification{
		Key: key, Route: o.Route, Session: o.SessionKey, Agent: task.Agents[0], Task: task.ID,
		Event: errand.EventLate, Text: text, ReplyTo: o.ReplyTo,
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
		if _, err := t.exec(`UPDATE tasks SET way = '', told_by = '' WHERE id = ?`, tasks[i].ID); err != nil {
			return nil, 0, err
		}
		made, err := t.notify(&tasks[i], owner, turn)
		if err != nil {
			return nil, 0, err
		}
		ids = append(ids, made...)
	}
	return ids, len(tasks), nil
}

func outboxWhere(q querier, where string, args ...any) ([]errand.Notification, error) {
	var rows []outboxRow
	if err := q.all(&rows, `SELECT `+outboxColumns+` FROM outbox WHERE `+where, args...); err != nil {
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

// MarkSending notes, before the platform is called, that it will be, and that
// nobody else is to call it before lease is over. It returns the state the row
// had: one that was being sent, or is in doubt, may have arrived. It fails with
// ErrBusy while another sender has the row, and with ErrClosed if it is not to
// be sent any more.
func (s *Store) MarkSending(ctx context.Context, id int64, lease time.Duration) (errand.OutboxState, error) {
	var before errand.OutboxState
	err := s.write(ctx, "", func(t *tx) error {
		var row struct {
			State        string
			SendingUntil int64
		}
		found, err := t.row(&row, `SELECT state, sending_until FROM outbox WHERE id = ?`, id)
		if err != nil {
			return err
		}
		before = errand.OutboxState(row.State)
		switch {
		case !found:
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		case !before.Open():
			return fmt.Errorf("outbox row %d is %s: %w", id, before, ErrClosed)
		case before == errand.Sending && row.SendingUntil > t.now:
			return fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		// Two transactions may have read the same row: the second finds another
		// lease in it than it read.
		n, err := t.exec(`UPDATE outbox SET state = 'sending', attempts = attempts + 1, sending_until = ? WHERE id = ? AND state = ? AND sending_until = ?`,
			t.now+lease.Microseconds(), id, row.State, row.SendingUntil)
		if err == nil && n == 0 {
			err = fmt.Errorf("outbox row %d: %w", id, ErrBusy)
		}
		return err
	})
	return before, err
}

// MarkSent notes that it has been delivered, in one part for each receipt, and by
// which of our accounts; empty: that of the row's route. That is true whatever was
// decided meanwhile. By the receipts it is known what is replied to.
func (s *Store) MarkSent(ctx context.Context, id int64, account string, receipts []string) error {
	list, err := json.Marshal(receipts)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		var to struct{ Channel, Account, Chat string }
		found, err := t.row(&to, `UPDATE outbox SET state = 'sent', error = '', receipts = ?, sent_at = ? WHERE id = ?
			RETURNING channel, account, chat`, string(list), t.now, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		}
		for _, part := range receipts {
			if part == "" {
				continue
			}
			_, err := t.exec(`INSERT INTO receipts (channel, account, chat, message_id, outbox) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (channel, account, chat, message_id) DO UPDATE SET outbox = excluded.outbox`,
				to.Channel, cmp.Or(account, to.Account), to.Chat, part, id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// MarkUnknown notes that the platform was called and nobody knows with what
// result, and how long it has asked to wait.
func (s *Store) MarkUnknown(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'unknown', error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// MarkPending notes that it has not been delivered and will be tried again, and
// how long the platform has asked to wait.
func (s *Store) MarkPending(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'pending', error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// Postpone notes that it waits, why, and for how long. What is known of it stays:
// nothing was tried.
func (s *Store) Postpone(ctx context.Context, id int64, reason string, wait time.Duration) error {
	return s.mark(ctx, id, `UPDATE outbox SET error = ?, not_before = ? WHERE `+unsent+` AND id = ?`, reason, s.after(wait))
}

// after is the time in a while; 0 where there is nothing to wait for.
func (s *Store) after(wait time.Duration) int64 {
	if wait <= 0 {
		return 0
	}
	return micros(s.clock().Add(wait))
}

// MarkBlocked notes that the platform refuses it for good.
func (s *Store) MarkBlocked(ctx context.Context, id int64, reason string) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'blocked', error = ? WHERE `+unsent+` AND id = ?`, reason)
}

// RetryOutbox lets a blocked or dismissed row be sent again.
func (s *Store) RetryOutbox(ctx context.Context, id int64) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'pending', not_before = 0 WHERE state IN ('blocked', 'dismissed') AND id = ?`)
}

// Dismiss gives up a row that has not been sent.
func (s *Store) Dismiss(ctx context.Context, id int64) error {
	return s.mark(ctx, id, `UPDATE outbox SET state = 'dismissed' WHERE state <> 'sent' AND id = ?`)
}

// mark changes one row; ErrClosed if it is in a state that cannot be changed
// so, ErrNotFound if there is none.
func (s *Store) mark(ctx context.Context, id int64, query string, args ...any) error {
	return s.write(ctx, "", func(t *tx) error {
		n, err := t.exec(query, append(args, id)...)
		if err != nil || n == 1 {
			return err
		}
		var state string
		found, err := t.value(&state, `SELECT state FROM outbox WHERE id = ?`, id)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("outbox row %d: %w", id, ErrNotFound)
		}
		return fmt.Errorf("outbox row %d is %s: %w", id, state, ErrClosed)
	})
}

// Outbox returns the rows in the given states, or all, newest first. limit 0
// means 100.
func (s *Store) Outbox(ctx context.Context, states []errand.OutboxState, limit int) ([]errand.Notification, error) {
	where, args := `TRUE`, []any{}
	if len(states) > 0 {
		where = `state IN (` + placeholders(len(states)) + `)`
		for _, st := range states {
			args = append(args, st)
		}
	}
	return outboxWhere(s.read(ctx), where+` ORDER BY id DESC LIMIT ?`, append(args, orDefault(limit, 100))...)
}

// OpenRoutes returns the routes on which something has to be sent.
func (s *Store) OpenRoutes(ctx context.Context) ([]errand.Route, error) {
	var routes []errand.Route
	err := s.read(ctx).all(&routes, `SELECT DISTINCT channel, account, chat, thread FROM outbox WHERE `+unsent+` AND (state <> 'sending' OR sending_until < ?)`,
		micros(s.clock()))
	return routes, err
}

// WaitingRoutes returns the routes on an account on which something is not sent
// yet, or not for certain: the one whose oldest row is the oldest first.
func (s *Store) WaitingRoutes(ctx context.Context, a errand.Account) ([]errand.Route, error) {
	var routes []errand.Route
	err := s.read(ctx).all(&routes, `SELECT channel, account, chat, thread FROM outbox WHERE channel = ? AND account = ? AND `+unsent+`
		GROUP BY channel, account, chat, thread ORDER BY MIN(id)`, a.Channel, a.Name)
	return routes, err
}

func placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }
