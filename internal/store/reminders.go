package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
	"errand/internal/texts"
	"errand/internal/when"
)

const (
	MaxReminders    = 100 // active reminders of one person
	MaxReminderText = 4 << 10
)

// A Reminder is a reminder with the data that it needs to fire.
type Reminder struct {
	core.Reminder
	Key     core.SessionKey `json:"-"` // the conversation in which it fires
	Session core.SessionID  `json:"-"` // the session in which it was set; it may have ended
	Role    core.Role       `json:"-"` // the person's role when it was set
	Group   bool            `json:"-"` // other people read the chat
	Spec    when.Spec       `json:"-"`
	Call    string          `json:"-"` // the tool call that set it; a call sets one reminder

	Replaces core.ReminderID `json:"-"` // of a new one: the reminder that ends with it, and does not count
}

type reminderRow struct {
	ID         string
	Person     string
	SessionKey string
	Session    string
	Agent      string
	Role       string
	Text       string
	Spec       string
	State      string
	Next       int64
	Times      int
	Last       int64
	Created    int64
	InGroup    bool
}

const reminderColumns = `id, person, session_key, session, agent, role, text, spec, state, next, times, last, created, in_group`

func (r reminderRow) reminder() (Reminder, error) {
	out := Reminder{
		Reminder: core.Reminder{
			ID: core.ReminderID(r.ID), State: core.ReminderState(r.State), Text: r.Text, Next: at(r.Next), Last: at(r.Last), Times: r.Times,
			Person: core.PersonID(r.Person), Agent: core.AgentName(r.Agent), Created: at(r.Created),
		},
		Key: core.SessionKey(r.SessionKey), Session: core.SessionID(r.Session), Role: core.Role(r.Role), Group: r.InGroup,
	}
	if err := json.Unmarshal([]byte(r.Spec), &out.Spec); err != nil {
		return out, fmt.Errorf("reminder %s: %w", r.ID, err)
	}
	out.When, out.Recurs = texts.Shipped().Schedule(out.Spec), out.Spec.Rule != ""
	if route, _, err := out.Key.Parse(); err == nil {
		out.Channel, out.Chat = route.Channel, route.Chat
	}
	return out, nil
}

// CreateReminder stores a new reminder. The caller sets Person, Key, Session, Agent, Role,
// Text, Spec, Next and Call. For a known Call it returns the existing reminder. It fails with
// ErrTooMany or ErrTooLarge.
func (s *Store) CreateReminder(ctx context.Context, in Reminder) (Reminder, error) {
	spec, err := json.Marshal(in.Spec)
	if err != nil {
		return in, err
	}
	if len(in.Text) > MaxReminderText {
		return in, fmt.Errorf("the text of a reminder may have %d bytes, this one has %d: %w", MaxReminderText, len(in.Text), ErrTooLarge)
	}
	var out Reminder
	err = s.write(ctx, "reminders/"+string(in.Person), func(t *tx) error {
		out, err = t.createReminder(in, string(spec))
		return err
	})
	return out, err
}

func (t *tx) createReminder(in Reminder, spec string) (Reminder, error) {
	if in.Call != "" {
		there, found, err := reminderWhere(t, `call = ?`, in.Call)
		if err != nil || found {
			return there, err
		}
	}
	var active int
	if _, err := t.Value(&active, `SELECT COUNT(*) FROM reminders WHERE person = ? AND state = 'active' AND id <> ?`, in.Person, in.Replaces); err != nil {
		return in, err
	}
	if active >= MaxReminders {
		return in, fmt.Errorf("%d reminders are set already, the most there can be: %w", active, ErrTooMany)
	}
	var call any
	if in.Call != "" {
		call = in.Call
	}
	for range 100 {
		id := core.NewReminderID()
		n, err := t.Exec(`INSERT INTO reminders (id, person, session_key, session, agent, role, text, spec, state, next, call, created, in_group)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'active', ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`,
			id, in.Person, in.Key, in.Session, in.Agent, in.Role, in.Text, spec, micros(in.Next), call, t.now, in.Group || in.Key.Shared())
		if err != nil {
			return in, err
		}
		if n == 1 {
			out, _, err := reminderWhere(t, `id = ?`, id)
			return out, err
		}
	}
	return in, fmt.Errorf("draw a reminder id: every one of 100 was taken")
}

func reminderWhere(q sqldb.Querier, where string, args ...any) (Reminder, bool, error) {
	var row reminderRow
	found, err := q.Row(&row, `SELECT `+reminderColumns+` FROM reminders WHERE `+where, args...)
	if err != nil || !found {
		return Reminder{}, false, err
	}
	r, err := row.reminder()
	return r, true, err
}

func remindersWhere(q sqldb.Querier, where string, args ...any) ([]Reminder, error) {
	var rows []reminderRow
	if err := q.All(&rows, `SELECT `+reminderColumns+` FROM reminders WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]Reminder, 0, len(rows))
	for _, row := range rows {
		r, err := row.reminder()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// Reminder returns a reminder by its full id, or ErrNotFound.
func (s *Store) Reminder(ctx context.Context, id core.ReminderID) (Reminder, error) {
	return reminderByID(s.read(ctx), id)
}

// ReminderOf returns the reminder that a tool call has set, or ErrNotFound.
func (s *Store) ReminderOf(ctx context.Context, call string) (Reminder, error) {
	r, found, err := reminderWhere(s.read(ctx), `call = ?`, call)
	if err == nil && !found {
		err = fmt.Errorf("reminder of call %s: %w", call, ErrNotFound)
	}
	return r, err
}

func reminderByID(q sqldb.Querier, id core.ReminderID) (Reminder, error) {
	r, found, err := reminderWhere(q, `id = ?`, id)
	if err == nil && !found {
		err = fmt.Errorf("reminder %q: %w", id, ErrNotFound)
	}
	return r, err
}

// CancelReminder cancels a reminder and returns it. A reminder that has ended does not change.
func (s *Store) CancelReminder(ctx context.Context, id core.ReminderID) (Reminder, error) {
	return s.writeReminder(ctx, id, func(t *tx, r *Reminder) error {
		if r.State != core.ReminderActive {
			return nil
		}
		return t.endReminder(r, core.ReminderCanceled)
	})
}

func (t *tx) endReminder(r *Reminder, state core.ReminderState) error {
	r.State, r.Next = state, time.Time{}
	_, err := t.Exec(`UPDATE reminders SET state = ?, next = 0 WHERE id = ?`, state, r.ID)
	return err
}

func (s *Store) writeReminder(ctx context.Context, id core.ReminderID, do func(*tx, *Reminder) error) (Reminder, error) {
	found, err := s.Reminder(ctx, id)
	if err != nil {
		return found, err
	}
	var r Reminder
	err = s.write(ctx, string(found.Key), func(t *tx) error {
		if r, err = reminderByID(t, id); err != nil {
			return err
		}
		return do(t, &r)
	})
	return r, err
}
