package store

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
)

// A FiredReminder is the result of [Store.FireReminder].
type FiredReminder struct {
	Reminder Reminder // its current state
	// Row is the inbox row that starts a turn; 0: no turn starts.
	Row   int64
	First bool // this call made the row
}

// FireReminder puts a reminder into the inbox of its conversation, once for each of its times.
// due is a time that has come; if several have, one row for the latest stands for all. Then the
// reminder waits for its next time, or is done. The row has the lesser of the person's roles
// when it was set and now. The reminder of a removed person is canceled. The times are computed
// before the transaction, which checks that the rule is unchanged.
func (s *Store) FireReminder(ctx context.Context, id core.ReminderID, due time.Time) (FiredReminder, error) {
	var f FiredReminder
	before, err := s.Reminder(ctx, id)
	if err != nil {
		return f, err
	}
	at, err := before.come(due, s.clock())
	if err != nil {
		return f, err
	}
	f.Reminder, err = s.writeReminder(ctx, id, func(t *tx, r *Reminder) error {
		f.Row, f.First = 0, false
		if !r.Spec.Equal(before.Spec) {
			return fmt.Errorf("reminder %s was changed just now: %w", id, ErrBusy)
		}
		return t.fire(r, at, &f)
	})
	return f, err
}

type occurrence struct {
	slot time.Time
	next time.Time // zero: none
}

func (r Reminder) come(due, now time.Time) (occurrence, error) {
	if err := r.Spec.Check(); err != nil {
		return occurrence{}, fmt.Errorf("reminder %s: %w", r.ID, err)
	}
	c := occurrence{slot: r.Spec.Latest(due, now)}
	c.next, _ = r.Spec.Next(c.slot)
	return c, nil
}

func (t *tx) fire(r *Reminder, at occurrence, f *FiredReminder) error {
	if r.State != core.ReminderActive || !r.Last.IsZero() && !at.slot.After(r.Last) {
		return t.findReminded(r, at.slot, f)
	}
	person, err := personWhere(t, `WHERE p.id = ?`, r.Person)
	switch {
	case errors.Is(err, ErrNotFound):
		return t.endReminder(r, core.ReminderCanceled)
	case err != nil:
		return err
	}
	if err := t.insertReminded(r, at, core.Lesser(r.Role, person.Role), f); err != nil {
		return err
	}
	if at.next.IsZero() {
		r.State = core.ReminderDone
	}
	r.Last, r.Next = at.slot, at.next
	r.Times++
	_, err = t.Exec(`UPDATE reminders SET last = ?, next = ?, times = ?, state = ? WHERE id = ?`, micros(r.Last), micros(r.Next), r.Times, r.State, r.ID)
	return err
}

// insertReminded also announces the reminder, because the person did not write it.
func (t *tx) insertReminded(r *Reminder, at occurrence, role core.Role, f *FiredReminder) error {
	route, person, err := r.Key.Parse()
	if err != nil {
		return err
	}
	who := r.Person
	if who == person {
		who = "" // the conversation's owner
	}
	reminded := InboxMessage{Route: route, Role: role, MessageID: slotID(r, at.slot), Text: r.Text, Group: r.Group}
	f.Row, f.First, err = t.insertInbox(r.Key, who, reminded, CauseReminder)
	if err != nil {
		return err
	}
	if !f.First {
		return t.findReminded(r, at.slot, f)
	}
	return t.announce(core.Event{Type: core.EventNotice, Key: r.Key, Text: remindedText(r.Text)})
}

func (t *tx) findReminded(r *Reminder, slot time.Time, f *FiredReminder) error {
	route, _, err := r.Key.Parse()
	if err != nil {
		return err
	}
	// By the unique key of the table, because only that has an index.
	_, err = t.Value(&f.Row, `SELECT id FROM inbox WHERE channel = ? AND account = ? AND chat = ? AND message_id = ? AND session_key = ?`,
		route.Channel, route.Account, inboxChat(route, r.Key), slotID(r, slot), r.Key)
	return err
}

const reminderSlot = "reminder/"

func slotID(r *Reminder, slot time.Time) string {
	return reminderSlot + string(r.ID) + "/" + r.Spec.Slot(slot)
}

func remindedText(text string) string { return "Reminder: " + text }

func (t *tx) worded(n core.Nonce, row claimRow, setter string) (string, error) {
	if Cause(row.Cause) != CauseReminder {
		return t.renderMessage(n, row)
	}
	text := row.Text
	if row.Person != "" { // several people share the conversation
		text = setIn.Replace(text)
	}
	parts := strings.SplitN(row.MessageID, "/", 3)
	if len(parts) < 2 {
		return text, nil
	}
	r, found, err := reminderWhere(t, `id = ?`, parts[1])
	if err != nil || !found {
		return n.Mark(fmt.Sprintf("reminder %s, set by %s for now", parts[1], setter)) + " " + text, err
	}
	set := r.Created.In(r.Spec.In()).Format("2 January 2006")
	return n.Mark(fmt.Sprintf("reminder %s, set by %s on %s for now", r.ID, setter, set)) + " " + text, nil
}

// remindAnyway delivers the reminders of a failed turn without an agent's text.
func (c *commit) remindAnyway() error {
	text, err := c.remindersOf(c.key.Owner, c.key.Turn)
	switch {
	case err != nil || text == "":
		return err
	case Cause(c.turn.Cause) == CauseReminder:
		c.in.Text = text
	default:
		c.in.Text = text + "\n\n" + c.in.Text
	}
	return nil
}

// remindStopped delivers the reminders of a turn that /stop or /reset closed.
func (t *tx) remindStopped(key core.SessionKey, owner core.Owner, turn int) error {
	text, err := t.remindersOf(owner, turn)
	if err != nil || text == "" {
		return err
	}
	route, _, err := key.Parse()
	if err != nil || route.Channel == core.ChannelWeb {
		return err
	}
	_, err = t.enqueue(core.Notification{
		Key: "reminded:" + turnKey(owner, turn), Route: route, Session: key, Event: core.EventLate, Text: text,
	}, owner, turn)
	return err
}

func (t *tx) remindersOf(owner core.Owner, turn int) (string, error) {
	var list []string
	err := t.All(&list, `SELECT text FROM inbox WHERE owner = ? AND turn = ? AND cause = 'reminder' ORDER BY id`, owner, turn)
	for i, text := range list {
		list[i] = remindedText(text)
	}
	return strings.Join(list, "\n"), err
}
