package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/when"
)

// A wall is a clock that a test sets.
type wall struct{ now time.Time }

func (w *wall) Now() time.Time { return w.now }

var monday = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

func wound(t *testing.T, open Opener) (*chat, *wall) {
	w := &wall{monday}
	return newChat(t, open, store.Options{Now: w.Now}), w
}

func (c *chat) remind(w *wall, text, at, call string) store.Reminder {
	c.t.Helper()
	spec, err := when.Parse(at, w.now, time.UTC)
	require.NoError(c.t, err)
	next, _ := spec.Next(w.now)
	r, err := c.s.CreateReminder(c.ctx, store.Reminder{
		Reminder: core.Reminder{Person: "ada", Agent: "nikki", Text: text, Next: next},
		Key:      c.key, Session: c.session, Role: core.Partner, Spec: spec, Call: call,
	})
	require.NoError(c.t, err)
	return r
}

// fire lets the time of a reminder come.
func (c *chat) fire(w *wall, r store.Reminder) store.FiredReminder {
	c.t.Helper()
	if r.Next.After(w.now) {
		w.now = r.Next
	}
	f, err := c.s.FireReminder(c.ctx, r.ID, r.Next)
	require.NoError(c.t, err)
	return f
}

func (c *chat) reminded() []string {
	c.t.Helper()
	return slices.DeleteFunc(c.reads(), func(line string) bool { return strings.HasPrefix(line, "notice: ") })
}

var reminders = map[string]func(*testing.T, Opener){
	"a costly rule comes, and one without a further time comes a last time": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		due := monday.Add(time.Minute)
		kept, err := c.s.CreateReminder(c.ctx, store.Reminder{
			Reminder: core.Reminder{Person: "ada", Text: "buy milk", Next: due},
			Key:      c.key, Session: c.session, Role: core.Partner, Spec: when.Spec{Rule: "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", Start: monday.AddDate(-99, 0, 0), Zone: "UTC"},
		})
		require.NoError(t, err)
		costly, err := c.s.CreateReminder(c.ctx, store.Reminder{
			Reminder: core.Reminder{Person: "ada", Text: "stretch", Next: due},
			Key:      c.key, Session: c.session, Role: core.Partner, Spec: when.Spec{Start: monday.AddDate(-99, 0, 0), Zone: "UTC", Rule: "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=" +
				"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55"},
		})
		require.NoError(t, err)
		f := c.fire(w, kept)
		require.True(t, f.First)
		require.Equal(t, core.ReminderDone, f.Reminder.State)
		f = c.fire(w, costly)
		require.True(t, f.First)
		require.Equal(t, core.ReminderActive, f.Reminder.State)
		require.Equal(t, monday.Add(5*time.Minute), f.Reminder.Next.UTC())
	},
	"a time that is written in another zone comes once": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "call", "2026-11-23T20:00:00+05:30", "")
		f := c.fire(w, r)
		require.True(t, f.First)
		require.Equal(t, core.ReminderDone, f.Reminder.State)
		require.False(t, c.fire(w, r).First)
	},
	"a reminder is kept once for each tool call": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		a := c.remind(w, "drink tea", "in 20 minutes", "s:1:1:1")
		require.Equal(t, core.ReminderActive, a.State)
		require.Equal(t, "Monday, 23 November 2026, 12:20 (UTC)", a.When)
		require.Equal(t, a, c.remind(w, "drink tea", "in 20 minutes", "s:1:1:1"))
		require.NotEqual(t, a.ID, c.remind(w, "drink tea", "in 20 minutes", "").ID)
		require.NotEqual(t, a.ID, c.remind(w, "drink tea", "in 20 minutes", "").ID, "two without a call are two")
		list, err := c.s.Reminders(c.ctx, store.ReminderFilter{Person: "ada"}, false)
		require.NoError(t, err)
		require.Len(t, list, 3)
		list, err = c.s.Reminders(c.ctx, store.ReminderFilter{Person: "bob"}, true)
		require.NoError(t, err)
		require.Empty(t, list)
	},
	"a person has a hundred reminders at most": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		first := c.remind(w, "0", "in 20 minutes", "")
		for i := range 99 {
			c.remind(w, fmt.Sprint(i), "in 20 minutes", "")
		}
		in := first
		in.Call = ""
		_, err := c.s.CreateReminder(c.ctx, in)
		require.ErrorIs(t, err, store.ErrTooMany)
		_, err = c.s.CancelReminder(c.ctx, first.ID)
		require.NoError(t, err)
		_, err = c.s.CreateReminder(c.ctx, in)
		require.NoError(t, err)
	},
	"a time comes once, however often it is fired": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "every day at 9", "")
		w.now = r.Next
		results := inParallel(t, 8, func(int) (store.FiredReminder, error) { return c.s.FireReminder(c.ctx, r.ID, r.Next) })
		first := 0
		for _, f := range results {
			require.Equal(t, results[0].Row, f.Row)
			require.NotZero(t, f.Row)
			if f.First {
				first++
			}
		}
		require.Equal(t, 1, first)
		now, err := c.s.Reminder(c.ctx, r.ID)
		require.NoError(t, err)
		require.Equal(t, 1, now.Times)
		require.True(t, now.Last.Equal(r.Next))
		require.True(t, now.Next.Equal(r.Next.AddDate(0, 0, 1)))
		again := c.fire(w, now)
		require.True(t, again.First)
		require.NotEqual(t, results[0].Row, again.Row)
	},
	"a reminder in the transcript says what it is, and its turn is for it": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "tomorrow at 9", "")
		f := c.fire(w, r)
		require.Equal(t, core.ReminderDone, f.Reminder.State)
		require.True(t, f.Reminder.Next.IsZero())
		b := c.begin(1, 1)
		require.Equal(t, []string{fmt.Sprintf("user: [reminder %s, set by the user on 23 November 2026 for now] drink tea", r.ID)}, texts(b.Transcript))
		require.Equal(t, store.CauseReminder, b.Cause)
		require.Equal(t, core.Partner, b.Role)
		require.Empty(t, b.ReplyTo)
		c.commit(reply(b, "Tea time!"))
		require.Equal(t, []string{"late: Tea time!"}, c.reminded(), "nobody waits for it")
		for _, e := range c.events() {
			require.NotEqual(t, core.EventMessage, e.Type, "the person has not written it")
			if e.Type == core.EventLate {
				require.Equal(t, "reminder", e.Cause, "it is no result")
			}
			if e.Type == core.EventNotice {
				require.Equal(t, "Reminder: drink tea", e.Text)
				require.Zero(t, e.Turn)
			}
		}
	},
	"a message beside a reminder is what the turn is for": func(t *testing.T, open Opener) {
		for _, first := range []string{"message", "reminder"} {
			c, w := wound(t, open)
			r := c.remind(w, "drink tea", "in 20 minutes", "")
			if first == "message" {
				c.write("hello")
				c.fire(w, r)
			} else {
				c.fire(w, r)
				c.write("hello")
			}
			b := c.begin(1, 1)
			require.Equal(t, store.CauseMessage, b.Cause, first)
			require.Equal(t, core.Member, b.Role, "the lesser of the two")
			require.Equal(t, "m1", b.ReplyTo)
			require.Len(t, b.Transcript, 2)
			c.commit(reply(b, "Hello. And: tea."))
			require.Equal(t, []string{"reply: Hello. And: tea."}, c.reminded())
		}
	},
	"late results beside a reminder are told with it": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		id := c.delegate(1, to("trains", "sasha"))
		c.work(id, "two trains")
		c.fire(w, c.remind(w, "drink tea", "in 20 minutes", ""))
		b := c.begin(2, 1)
		require.Equal(t, store.CauseReminder, b.Cause)
		require.Equal(t, core.Member, b.Role, "the one who sent sasha had no more")
		in := reply(b, "it failed")
		in.Failed = true
		c.commit(in)
		require.Contains(t, c.reminded(), "late: Reminder: drink tea")
		require.Equal(t, core.WayNotification, c.task(id).Way)
	},
	"a reminder whose turn fails is told all the same": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		c.fire(w, c.remind(w, "drink tea", "in 20 minutes", ""))
		in := reply(c.begin(1, 1), "I could not answer.")
		in.Failed = true
		c.commit(in)
		require.Equal(t, []string{"late: Reminder: drink tea"}, c.reminded())
		c.fire(w, c.remind(w, "water the plants", "in 20 minutes", ""))
		c.write("hello")
		in = reply(c.begin(2, 1), "I could not answer.")
		in.Failed = true
		c.commit(in)
		require.Equal(t, "error: Reminder: water the plants\n\nI could not answer.", c.reminded()[1])
	},
	"a reminder whose turn is stopped or reset is told on its platform": func(t *testing.T, open Opener) {
		for _, reason := range []string{store.StoppedTurn, store.ResetTurn} {
			w := &wall{monday}
			c := chatOn(t, open(t, store.Options{Now: w.Now}), core.Route{Channel: "test", Account: "main", Chat: "c1"})
			c.fire(w, c.remind(w, "drink tea", "in 20 minutes", ""))
			c.begin(1, 1)
			require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, reason))
			list, err := c.s.Deliveries(c.ctx, nil, store.Page{})
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, "Reminder: drink tea", list[0].Text)
		}
	},
	"after an outage the latest time that was missed stands for all": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "every day at 9", "")
		w.now = r.Next.AddDate(0, 0, 10).Add(time.Hour)
		f := c.fire(w, r)
		require.True(t, f.Reminder.Last.Equal(r.Next.AddDate(0, 0, 10)))
		require.True(t, f.Reminder.Next.Equal(r.Next.AddDate(0, 0, 11)))
		require.Equal(t, 1, f.Reminder.Times)
		again, err := c.s.FireReminder(c.ctx, r.ID, r.Next)
		require.NoError(t, err)
		require.False(t, again.First)
		require.Equal(t, f.Row, again.Row, "so that whoever was killed can signal")
		require.Len(t, c.begin(1, 1).Transcript, 1)
	},
	"a canceled reminder does not come": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "every day at 9", "")
		for range 2 {
			over, err := c.s.CancelReminder(c.ctx, r.ID)
			require.NoError(t, err)
			require.Equal(t, core.ReminderCanceled, over.State)
		}
		f := c.fire(w, r)
		require.Zero(t, f.Row)
		require.NotNil(t, c.begin(1, 1).Empty)
		list, err := c.s.Reminders(c.ctx, store.ReminderFilter{Person: "ada"}, false)
		require.NoError(t, err)
		require.Empty(t, list)
		list, err = c.s.Reminders(c.ctx, store.ReminderFilter{}, true)
		require.NoError(t, err)
		require.Len(t, list, 1)
	},
	"a reminder has the lesser of the rights then and now": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		_, err := c.s.EnsurePerson(c.ctx, "root", "Root", core.MasterAdmin)
		require.NoError(t, err)
		r := c.remind(w, "drink tea", "every day at 9", "")
		_, err = c.s.SetRole(c.ctx, "ada", core.Guest)
		require.NoError(t, err)
		f := c.fire(w, r)
		require.Equal(t, core.Guest, c.begin(1, 1).Role)
		_, err = c.s.SetRole(c.ctx, "ada", core.MasterAdmin)
		require.NoError(t, err)
		c.commit(reply(c.begin(1, 1), "tea"))
		c.fire(w, f.Reminder)
		require.Equal(t, core.Partner, c.begin(2, 1).Role)
	},
	"the reminder of somebody who is gone is canceled": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "every day at 9", "")
		next := r
		next.Person, next.Call = "nobody", ""
		r, err := c.s.CreateReminder(c.ctx, next)
		require.NoError(t, err)
		f := c.fire(w, r)
		require.Zero(t, f.Row)
		require.Equal(t, core.ReminderCanceled, f.Reminder.State)
	},
	"a reminder is found by the beginning of its id, among one's own": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		r := c.remind(w, "drink tea", "every day at 9", "")
		for _, prefix := range []string{string(r.ID), string(r.ID[2:]), string(r.ID[:7]), " " + string(r.ID)} {
			found, err := c.s.FindReminder(c.ctx, prefix, store.ReminderFilter{Person: "ada"})
			require.NoError(t, err)
			require.Equal(t, r, found)
		}
		for _, prefix := range []string{"", "r-", "%", "zzzz'"} {
			_, err := c.s.FindReminder(c.ctx, prefix, store.ReminderFilter{Person: "ada"})
			require.ErrorIs(t, err, store.ErrNotFound)
		}
		_, err := c.s.FindReminder(c.ctx, string(r.ID), store.ReminderFilter{Person: "bob"})
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"neither /stop nor the busy mode takes a reminder away": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		c.fire(w, c.remind(w, "drink tea", "in 20 minutes", ""))
		_, err := c.s.StopTurn(c.ctx, c.key, "")
		require.NoError(t, err)
		closed, err := c.s.InterruptTurn(c.ctx, c.key, c.owner(), 1, "interrupted")
		require.NoError(t, err)
		require.False(t, closed)
		require.Equal(t, store.CauseReminder, c.begin(1, 1).Cause)
	},
}
