package storetest

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var outbox = map[string]func(*testing.T, Opener){
	"an answer of errand's own is told once": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		n := core.Notification{Key: "answer:1", Route: c.route, Event: core.EventNotice, Text: "No open tasks.", ReplyTo: "9"}
		for i := range 2 {
			delivered, err := c.s.Answer(c.ctx, n)
			require.NoError(t, err)
			require.Equal(t, i == 0, delivered)
		}
		next, err := c.s.NextOutbox(c.ctx, c.route)
		require.NoError(t, err)
		require.Equal(t, "No open tasks.", next.Text)
		require.Equal(t, "9", next.ReplyTo)
		n.Key, n.Route = "answer:2", core.WebRoute("main")
		delivered, err := c.s.Answer(c.ctx, n)
		require.NoError(t, err)
		require.False(t, delivered, "on the page the row is the delivery")
	},
	"a reply on a platform waits to be sent, in order": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "discord", Account: "main", Chat: "42", Thread: "7"})
		var ids []int64
		for turn := 1; turn <= 3; turn++ {
			c.write("hello")
			r := c.commit(reply(c.begin(turn, 1), fmt.Sprint("hi ", turn)))
			require.Equal(t, r, *c.begin(turn, 1).Done, "a second attempt names the same rows")
			ids = append(ids, r.Outbox[len(r.Outbox)-1])
		}
		next := func() int64 {
			n, err := c.s.NextOutbox(c.ctx, c.route)
			require.NoError(t, err)
			if n == nil {
				return 0
			}
			return n.ID
		}
		require.Equal(t, ids[0], next())
		for _, id := range ids {
			n, err := c.s.NextOutboxOf(c.ctx, id)
			require.NoError(t, err)
			require.Equal(t, ids[0], n.ID, "the oldest row of the chat comes first")
		}
		sending(t, c, ids[0])
		require.Equal(t, ids[0], next(), "while it is being sent it is the next one")
		require.NoError(t, c.s.MarkUnsent(c.ctx, ids[0], core.Unknown, "no answer", 0))
		require.NoError(t, c.s.MarkUnsent(c.ctx, ids[0], "", "too fast", time.Minute))
		late, err := c.s.Notification(c.ctx, ids[0])
		require.NoError(t, err)
		require.Equal(t, core.Unknown, late.State, "waiting changes nothing of what is known")
		require.True(t, late.NotBefore.After(late.Created))
		require.NoError(t, c.s.MarkUnsent(c.ctx, ids[0], core.Pending, "no route", 0))
		require.NoError(t, c.s.MarkBlocked(c.ctx, ids[0], "we were removed from the chat", false))
		require.Equal(t, ids[1], next(), "what is blocked holds up nothing")
		sending(t, c, ids[1])
		require.NoError(t, c.s.MarkSent(c.ctx, ids[1], "", []string{"r1", "r2"}))
		_, err = c.s.MarkSending(c.ctx, ids[1], time.Minute)
		require.ErrorIs(t, err, store.ErrClosed)
		_, err = c.s.MarkSending(c.ctx, 999, time.Minute)
		require.ErrorIs(t, err, store.ErrNotFound)
		n, err := c.s.Notification(c.ctx, ids[1])
		require.NoError(t, err)
		require.Equal(t, []string{"r1", "r2"}, n.Receipts)
		require.Equal(t, 1, n.Attempts)
		require.False(t, n.SentAt.IsZero())
		require.NoError(t, c.s.Dismiss(c.ctx, ids[2]))
		require.Zero(t, next())
		require.NoError(t, c.s.RetryOutbox(c.ctx, ids[0]))
		var found []core.Route
		for r, err := range c.s.OpenRoutes(c.ctx) {
			require.NoError(t, err)
			found = append(found, r)
		}
		require.Equal(t, []core.Route{c.route}, found)
		routes, err := c.s.WaitingRoutes(c.ctx, c.route.At())
		require.NoError(t, err)
		require.Equal(t, []core.Route{c.route}, routes)
		routes, err = c.s.WaitingRoutes(c.ctx, core.Account{Channel: c.route.Channel, Name: "another"})
		require.NoError(t, err)
		require.Empty(t, routes)
		list, err := c.s.Deliveries(c.ctx, []core.OutboxState{core.Sent, core.Dismissed}, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 2)
	},
	"what a chat refused goes again when it takes something, once": func(t *testing.T, open Opener) {
		w := &wall{monday}
		s := open(t, store.Options{Now: w.Now})
		here := core.Route{Channel: "telegram", Account: "main", Chat: "42"}
		n := 0
		block := func(r core.Route, event core.EventType, session core.SessionKey, doubt bool) int64 {
			n++
			_, err := s.Answer(t.Context(), core.Notification{Key: fmt.Sprint("n", n), Route: r, Session: session, Event: event, Text: "x"})
			require.NoError(t, err)
			list, err := s.Deliveries(t.Context(), nil, store.Page{Limit: 1})
			require.NoError(t, err)
			require.NoError(t, s.MarkBlocked(t.Context(), list[0].ID, "they have blocked the bot", doubt))
			return list[0].ID
		}
		state := func(id int64) core.OutboxState {
			n, err := s.Notification(t.Context(), id)
			require.NoError(t, err)
			return n.State
		}
		takes := func(session core.SessionKey) int {
			n, err := s.Reopen(t.Context(), core.Notification{Route: here, Session: session})
			require.NoError(t, err)
			return n
		}
		stale := block(here, core.EventLate, "k", false)
		w.now = w.now.AddDate(0, 0, 8)
		staying := []int64{stale, block(here, core.EventNotice, "k", false), block(here, core.EventLate, "", false)}
		for _, r := range []core.Route{
			{Channel: "discord", Account: "main", Chat: "42"}, {Channel: "telegram", Account: "finn", Chat: "42"},
			{Channel: "telegram", Account: "main", Chat: "43"}, {Channel: "telegram", Account: "main", Chat: "42", Thread: "7"},
		} {
			staying = append(staying, block(r, core.EventLate, "k", false))
		}
		require.Zero(t, takes("k"))
		one := block(here, core.EventLate, "k", false)
		two := block(here, core.EventReply, "another", true)
		require.Zero(t, takes(""), "a stranger was told to wait")
		require.Equal(t, 2, takes("k"))
		require.Equal(t, core.Pending, state(one))
		require.Equal(t, core.Unknown, state(two), "it may have arrived")
		for _, id := range staying {
			require.Equal(t, core.Blocked, state(id), id)
		}
		require.Zero(t, takes("k"))

		// What is refused for its own sake is not tried for ever.
		require.NoError(t, s.MarkBlocked(t.Context(), one, "too long", false))
		require.Zero(t, takes("k"))
		require.NoError(t, s.RetryOutbox(t.Context(), one))
		require.Equal(t, core.Pending, state(one))
		require.NoError(t, s.MarkBlocked(t.Context(), one, "they have blocked the bot again", true))
		require.Equal(t, 1, takes("k"), "after somebody has tried it")
		require.NoError(t, s.Dismiss(t.Context(), one))
		require.Zero(t, takes("k"), "dismissed is dismissed")
		require.NoError(t, s.RetryOutbox(t.Context(), one))
		require.Equal(t, core.Unknown, state(one), "it still may have arrived")

		for range 30 {
			block(here, core.EventLate, "k", false)
		}
		require.Equal(t, 20, takes("k"), "no more than somebody reads")
	},
	"on the page the row is the delivery": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		require.Empty(t, c.commit(reply(c.begin(1, 1), "hi")).Outbox)
		list, err := c.s.Deliveries(c.ctx, nil, store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, core.Sent, list[0].State)
	},
	"a turn that failed says why": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		in := reply(c.begin(1, 1), "the model refused")
		in.Failed = true
		require.True(t, c.commit(in).Failed)
		require.Equal(t, []string{"error: the model refused"}, c.reads())
	},
}

var budgets = map[string]func(*testing.T, Opener){
	"a budget of a tree fails closed, and its failure can be told": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Turn: store.Amount{Calls: 2}}})
		id := c.delegate(1, to("trains", "sasha"))
		b, err := c.s.BeginStep(c.ctx, subStep(id, "sasha", 1, 1))
		var over *store.BudgetError
		require.ErrorAs(t, err, &over)
		require.Equal(t, store.BudgetError{Budget: "turn", What: "calls", Limit: 2}, *over)
		_, err = c.s.BeginStep(c.ctx, subStep(id, "sasha", 1, 1))
		require.ErrorAs(t, err, &over, "a second attempt is refused, too")
		in := store.CommitStep{Step: b, Text: err.Error(), Failed: true, Rejected: true}
		out := c.commit(in)
		require.True(t, out.Final)
		require.Equal(t, core.Rejected, out.Ended)
		task := c.task(id)
		require.Equal(t, core.Rejected, task.State, "it was refused before it began")
		require.Equal(t, in.Text, task.Error)
		c.write("hello")
		c.begin(2, 1)
	},
	"a refused step has lost no message": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{PersonDay: store.Amount{Tokens: 50}}})
		c.write("hello")
		in := c.step(1, 1)
		in.Reserve = store.Reserve{Answer: 60}
		b, err := c.s.BeginStep(c.ctx, in)
		var over *store.BudgetError
		require.ErrorAs(t, err, &over)
		require.Equal(t, "person_day", over.Budget)
		c.commit(store.CommitStep{Step: b, Text: "over budget", Failed: true})
		require.Equal(t, []string{"error: over budget"}, c.reads())
	},
	"one call is reserved once, and what was not spent is given back": func(t *testing.T, open Opener) {
		w := &wall{monday}
		c := newChat(t, open, store.Options{Now: w.Now, Limits: store.Limits{PersonDay: store.Amount{Calls: 2}}})
		c.write("hello")
		c.begin(1, 1)
		c.begin(1, 1)
		c.begin(1, 1)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		c.write("hello")
		c.commit(reply(c.begin(2, 1), "hi"))
		c.write("hello")
		c.commit(reply(c.begin(3, 1), "hi"))
		c.write("hello")
		_, err := c.s.BeginStep(c.ctx, c.step(4, 1))
		var over *store.BudgetError
		require.ErrorAs(t, err, &over)
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Session: c.session})
		require.NoError(t, err)
		require.Equal(t, store.Amount{Calls: 2, Tokens: 200, Cost: 1, Cached: 120}, spent)
	},
	"many at once cannot spend more than there is": func(t *testing.T, open Opener) {
		w := &wall{monday}
		s := open(t, store.Options{Now: w.Now, Limits: store.Limits{PersonDay: store.Amount{Calls: 5}}})
		var chats []*chat
		for i := range 12 {
			c := chatOn(t, s, core.WebRoute(fmt.Sprint("c", i)))
			c.write("hello")
			chats = append(chats, c)
		}
		granted := inParallel(t, len(chats), func(i int) (bool, error) {
			_, err := s.BeginStep(chats[i].ctx, chats[i].step(1, 1))
			var over *store.BudgetError
			if errors.As(err, &over) {
				return false, nil
			}
			return true, err
		})
		n := 0
		for _, ok := range granted {
			if ok {
				n++
			}
		}
		require.Equal(t, 5, n)
	},
	"a killed task gives back what it had reserved": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Turn: store.Amount{Calls: 3}}})
		c.write("ask both")
		r := c.commit(asks(c.begin(1, 1), to("one", "sasha"), to("two", "sasha")))
		c.commit(reply(c.begin(1, 2), "both are on it"))
		c.sub(r.Calls[0].Task, "sasha", 1, 1)
		_, err := c.s.BeginStep(c.ctx, subStep(r.Calls[1].Task, "sasha", 1, 1))
		require.Error(t, err)
		_, err = c.s.CloseTask(c.ctx, r.Calls[0].Task, "stop", true)
		require.NoError(t, err)
		c.sub(r.Calls[1].Task, "sasha", 1, 1)
	},
	"a paused installation begins nothing, and loses nothing": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		require.NoError(t, c.s.Pause(c.ctx, "ada"))
		_, err := c.s.BeginStep(c.ctx, c.step(1, 1))
		require.ErrorIs(t, err, store.ErrPaused)
		paused, err := c.s.Paused(c.ctx)
		require.NoError(t, err)
		require.True(t, paused)
		require.NoError(t, c.s.Resume(c.ctx))
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript))
	},
}

var rest = map[string]func(*testing.T, Opener){
	"a reader of the event log misses nothing": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		const writers, each = 8, 20
		done := make(chan struct{})
		go func() {
			defer close(done)
			inParallel(t, writers, func(i int) (struct{}, error) {
				for k := range each {
					m := store.InboxMessage{Route: c.route, Person: "ada", MessageID: fmt.Sprint(i, "-", k), Text: "x"}
					if _, err := c.s.Accept(c.ctx, m); err != nil {
						return struct{}{}, err
					}
				}
				return struct{}{}, nil
			})
		}()
		seen := map[string]bool{}
		var last int64
		deadline := time.Now().Add(time.Minute)
		for over := false; len(seen) < writers*each; {
			events, err := c.s.Events(c.ctx, c.key, last, 7)
			require.NoError(t, err)
			if len(events) == 0 && over {
				break
			}
			for _, e := range events {
				require.Greater(t, e.ID, last)
				require.False(t, seen[e.Message])
				seen[e.Message], last = true, e.ID
			}
			select {
			case <-done:
				over = true
			default:
			}
			require.True(t, time.Now().Before(deadline))
		}
		<-done
		require.Len(t, seen, writers*each)
		events, err := c.s.LastEvents(c.ctx, c.key, math.MaxInt64, 3)
		require.NoError(t, err)
		require.Len(t, events, 3)
		require.Equal(t, last, events[2].ID)
		before, err := c.s.LastEvents(c.ctx, c.key, events[1].ID, 3)
		require.NoError(t, err)
		require.Len(t, before, 3)
		require.Equal(t, events[0], before[2])
		require.Greater(t, before[1].ID, before[0].ID)
		before, err = c.s.LastEvents(c.ctx, c.key, 1, 3)
		require.NoError(t, err)
		require.Empty(t, before)
	},
	"what is committed is published": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		events, cancel := c.s.Bus().Subscribe(c.key)
		defer cancel()
		row := c.write("hello")
		e := <-events
		for e.ID == 0 { // a bus that was still connecting says so when it is connected
			e = <-events
		}
		require.Equal(t, core.EventMessage, e.Type)
		require.Equal(t, "hello", e.Text)
		require.Equal(t, row.Session, e.Key)
		require.Equal(t, c.events()[0], e)
	},
	"a session goes on where it was": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "hi"))
		require.NoError(t, c.s.SetBusy(c.ctx, c.key, "steer"))
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "finn", 0))
		require.NoError(t, c.s.SuspendSession(c.ctx, c.session))
		now, err := c.s.Current(c.ctx, c.key)
		require.NoError(t, err)
		require.Equal(t, store.SessionSuspended, now.State)
		require.Equal(t, store.Rehydrated{Session: c.session, Agent: "finn", Busy: "steer", NextTurn: 2}, c.rehydrate())
		next, err := c.s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
		require.NoError(t, err)
		require.NotEqual(t, c.session, next)
		require.Equal(t, store.Rehydrated{Session: next, Agent: "nikki", Busy: "steer", NextTurn: 1}, c.rehydrate())
		old, err := c.s.Session(c.ctx, c.session)
		require.NoError(t, err)
		require.Equal(t, "reset", old.Reason)
		_, err = c.s.BeginStep(c.ctx, c.step(2, 1))
		require.ErrorIs(t, err, store.ErrClosed)
		list, err := c.s.Sessions(c.ctx, store.SessionFilter{Person: "ada"})
		require.NoError(t, err)
		require.Len(t, list, 2)
	},
	"a clock that jumps changes no order": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		c.write("first")
		now = now.Add(-24 * time.Hour)
		c.write("second")
		now = now.Add(365 * 24 * time.Hour)
		c.write("third")
		var lines []string
		for _, m := range c.begin(1, 1).Transcript {
			lines = append(lines, m.Text)
		}
		require.Equal(t, []string{"first", "second", "third"}, lines)
		var notices []string
		for _, e := range c.events() {
			notices = append(notices, e.Text)
		}
		require.Equal(t, lines, notices)
	},
	"a note is remembered until it expires": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		remember := func(key, value string, expires time.Time) error {
			return c.s.Remember(c.ctx, "ada", "nikki", store.Note{Key: key, Value: value, Expires: expires})
		}
		require.NoError(t, remember("trip/when", "May", time.Time{}))
		require.NoError(t, remember("trip/when", "June", time.Time{}))
		require.NoError(t, remember("trip/mood", "good", now.Add(time.Hour)))
		require.NoError(t, remember("trap", "x", time.Time{}))
		n, err := c.s.Recall(c.ctx, "ada", "nikki", "trip/when")
		require.NoError(t, err)
		require.Equal(t, "June", n.Value)
		trip := store.NoteFilter{Person: "ada", Agent: "nikki", Prefix: "trip/"}
		notes, err := c.s.Notes(c.ctx, trip)
		require.NoError(t, err)
		require.Len(t, notes, 2)
		now = now.Add(2 * time.Hour)
		notes, err = c.s.Notes(c.ctx, trip)
		require.NoError(t, err)
		require.Len(t, notes, 1)
		_, err = c.s.Recall(c.ctx, "ada", "nikki", "trip/mood")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.Recall(c.ctx, "bob", "nikki", "trip/when")
		require.ErrorIs(t, err, store.ErrNotFound)
		require.ErrorIs(t, remember("big", strings.Repeat("x", 1<<20), time.Time{}), store.ErrTooLarge)
	},
	"words come back as they were": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for i, text := range []string{"", "'; DROP TABLE tasks; --", "ä🚂?$1", "a\nb\tc\\", strings.Repeat("long ", 40_000)} {
			c.write(text)
			b := c.begin(i+1, 1)
			require.Equal(t, text, b.Transcript[len(b.Transcript)-1].Text)
			c.commit(reply(b, text))
		}
	},
	"the store can be told from another": func(t *testing.T, open Opener) {
		a, b := open(t, store.Options{}), open(t, store.Options{})
		require.NotEmpty(t, a.ID())
		require.NotEqual(t, a.ID(), b.ID())
		require.NoError(t, a.Ping(t.Context()))
	},
}

func sending(t *testing.T, c *chat, id int64) {
	t.Helper()
	before, err := c.s.MarkSending(c.ctx, id, time.Minute)
	require.NoError(t, err)
	require.Equal(t, id, before.ID)
	require.Equal(t, core.Pending, before.State)
	_, err = c.s.MarkSending(c.ctx, id, time.Minute)
	require.ErrorIs(t, err, store.ErrBusy)
}
