package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var presence = map[string]func(*testing.T, Opener){
	"the message that shows how far a turn is leads to those of its tasks that are at work": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		id := c.delegate(1, to("trains", "sasha"))
		_, claimed, _, err := c.s.ClaimProgress(c.ctx, c.session, 1, time.Second)
		require.NoError(t, err)
		require.True(t, claimed)
		require.NoError(t, c.s.NoteProgress(c.ctx, c.session, 1, store.Progress{Message: "7", Open: true}, 0))
		led := func(key core.SessionKey, message string) (ids []core.TaskID) {
			t.Helper()
			list, err := c.s.ProgressTasks(c.ctx, key, message)
			require.NoError(t, err)
			for _, task := range list {
				ids = append(ids, task.ID)
			}
			return ids
		}
		require.Equal(t, []core.TaskID{id}, led(c.key, "7"))
		require.Empty(t, led(c.key, "8"))
		require.Empty(t, led(c.key, ""))
		require.Empty(t, led(core.NewSessionKey(core.Route{Channel: "telegram", Account: "main", Chat: "43"}, "p-1"), "7"))
		c.work(id, "found")
		require.Empty(t, led(c.key, "7"))
	},
	"of several that would show how far a turn is, one does, and not too often": func(t *testing.T, open Opener) {
		now := time.Now()
		c := chatOn(t, open(t, store.Options{Now: func() time.Time { return now }}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		id := c.delegate(1, to("trains", "sasha"))
		turns, err := c.s.ProgressTurns(c.ctx, c.session)
		require.NoError(t, err)
		require.Equal(t, []int{1}, turns)
		claim := func() (store.Progress, bool, time.Duration) {
			t.Helper()
			p, ok, wait, err := c.s.ClaimProgress(c.ctx, c.session, 1, 10*time.Second)
			require.NoError(t, err)
			return p, ok, wait
		}
		_, ok, _ := claim()
		require.True(t, ok)
		_, ok, wait := claim()
		require.False(t, ok)
		require.Equal(t, 10*time.Second, wait)
		require.NoError(t, c.s.DropProgress(c.ctx, c.session, 1))
		_, ok, _ = claim()
		require.True(t, ok, "what was not sent may be sent")
		require.NoError(t, c.s.NoteProgress(c.ctx, c.session, 1, store.Progress{Message: "7", Shown: "a", Open: true}, 3*time.Second))
		_, ok, wait = claim()
		require.False(t, ok)
		require.Equal(t, 3*time.Second, wait)
		now = now.Add(3 * time.Second)
		p, ok, _ := claim()
		require.True(t, ok)
		require.Equal(t, store.Progress{Message: "7", Shown: "a", Open: true}, p)
		now = now.Add(10 * time.Second) // the claimant is gone
		_, ok, _ = claim()
		require.True(t, ok)
		c.work(id, "found")
		turns, err = c.s.ProgressTurns(c.ctx, c.session)
		require.NoError(t, err)
		require.Equal(t, []int{1}, turns, "its end is not shown yet")
		sessions, err := c.s.ProgressSessions(c.ctx)
		require.NoError(t, err)
		require.Equal(t, []core.SessionID{c.session}, sessions)
		require.NoError(t, c.s.NoteProgress(c.ctx, c.session, 1, store.Progress{Message: "7", Shown: "b"}, 0))
		_, ok, wait = claim()
		require.False(t, ok)
		require.Zero(t, wait)
		turns, err = c.s.ProgressTurns(c.ctx, c.session)
		require.NoError(t, err)
		require.Empty(t, turns)
		tasks, err := c.s.TurnTasks(c.ctx, c.session, 1)
		require.NoError(t, err)
		require.Len(t, tasks, 1)
	},
	"a message whose first sending nobody came back from is given up": func(t *testing.T, open Opener) {
		now := time.Now()
		c := chatOn(t, open(t, store.Options{Now: func() time.Time { return now }}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		c.delegate(1, to("trains", "sasha"))
		_, ok, _, err := c.s.ClaimProgress(c.ctx, c.session, 1, time.Second)
		require.NoError(t, err)
		require.True(t, ok)
		now = now.Add(2 * time.Second)
		for range 2 {
			_, ok, wait, err := c.s.ClaimProgress(c.ctx, c.session, 1, time.Second)
			require.NoError(t, err)
			require.False(t, ok)
			require.Zero(t, wait)
		}
	},
	"what shows progress is deleted with its session": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		c.work(c.delegate(1, to("trains", "sasha")), "found")
		_, ok, _, err := c.s.ClaimProgress(c.ctx, c.session, 1, time.Second)
		require.NoError(t, err)
		require.True(t, ok)
		_, err = c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		gone, err := c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		require.Equal(t, 1, gone["progress"])
		_, ok, _, err = c.s.ClaimProgress(c.ctx, c.session, 1, time.Second)
		require.NoError(t, err)
		require.False(t, ok, "nothing is left behind by who comes late")
	},
	"a turn is at work until it is over, and not during a pause": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		works := func() bool {
			t.Helper()
			ok, err := c.s.AtWork(c.ctx, c.session, 1)
			require.NoError(t, err)
			return ok
		}
		require.False(t, works())
		c.write("one")
		c.write("two")
		b := c.begin(1, 1)
		require.True(t, works())
		require.NoError(t, c.s.Pause(c.ctx, "ada"))
		require.False(t, works())
		require.NoError(t, c.s.Resume(c.ctx))
		ids, err := c.s.TurnMessages(c.ctx, c.session, 1)
		require.NoError(t, err)
		require.Equal(t, []string{"m1", "m2"}, ids)
		c.commit(reply(b, "hi"))
		require.False(t, works())
	},
	"a delivery waits as long as the platform asks": func(t *testing.T, open Opener) {
		now := time.Now().Truncate(time.Microsecond).UTC()
		c := chatOn(t, open(t, store.Options{Now: func() time.Time { return now }}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		c.write("hello")
		ids := c.commit(reply(c.begin(1, 1), "hi")).Outbox
		notBefore := func() time.Time {
			t.Helper()
			n, err := c.s.NextOutbox(c.ctx, c.route)
			require.NoError(t, err)
			return n.NotBefore
		}
		require.True(t, notBefore().IsZero())
		require.NoError(t, c.s.MarkUnsent(c.ctx, ids[0], core.Pending, "too many", 7*time.Second))
		require.Equal(t, now.Add(7*time.Second), notBefore())
		require.NoError(t, c.s.MarkUnsent(c.ctx, ids[0], core.Unknown, "half", 9*time.Second))
		require.Equal(t, now.Add(9*time.Second), notBefore())
		require.NoError(t, c.s.MarkBlocked(c.ctx, ids[0], "blocked", false))
		require.NoError(t, c.s.RetryOutbox(c.ctx, ids[0]))
		require.True(t, notBefore().IsZero(), "whoever says again means now")
	},
	"a chat that moves keeps its first name here": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		check := func(now, first, chat string) {
			t.Helper()
			got, err := c.s.ChatNow(c.ctx, "telegram", "main", chat)
			require.NoError(t, err)
			require.Equal(t, now, got)
			got, err = c.s.ChatFirst(c.ctx, "telegram", "main", chat)
			require.NoError(t, err)
			require.Equal(t, first, got)
		}
		check("-1", "-1", "-1")
		for range 2 {
			require.NoError(t, c.s.MoveChat(c.ctx, "telegram", "main", "-1", "-100"))
		}
		check("-100", "-1", "-1")
		check("-100", "-1", "-100")
		require.NoError(t, c.s.MoveChat(c.ctx, "telegram", "main", "-100", "-200"))
		check("-200", "-1", "-1")
		check("-200", "-1", "-200")
		require.NoError(t, c.s.MoveChat(c.ctx, "telegram", "finn", "-1", "-300"))
		check("-200", "-1", "-1")
	},
}
