package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var (
	cluster  = store.Place{Claim: "c1", Address: "temporal:7233", Namespace: "errand"}
	embedded = store.Place{Claim: "e1", Address: "127.0.0.1:7233", Namespace: "default", Embedded: true}
)

func worker(id string) store.Worker {
	return store.Worker{ID: id, Home: "home of " + id, TTL: 30 * time.Second}
}

// renew returns whether the worker had expired.
func renew(t *testing.T, s *store.Store, id string) bool {
	t.Helper()
	expired, err := s.RenewWorker(t.Context(), worker(id), cluster)
	require.NoError(t, err)
	return expired
}

var workers = map[string]func(*testing.T, Opener){
	"a worker that does not renew expires, and learns it": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		expire := func(by string) []string {
			t.Helper()
			ids, err := s.ExpireWorkers(t.Context(), worker(by))
			require.NoError(t, err)
			return ids
		}
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		require.True(t, renew(t, s, "b"), "it has no row")
		now = now.Add(20 * time.Second)
		require.False(t, renew(t, s, "b"))
		now = now.Add(9 * time.Second)
		require.Empty(t, expire("b"), "a has a second left")
		now = now.Add(time.Second)
		require.Empty(t, expire("a"), "it does not know whether it is alive itself")
		require.Equal(t, []string{"a"}, expire("b"))
		alive, err := s.Workers(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"b": true}, alive)
		require.True(t, renew(t, s, "a"))
		require.False(t, renew(t, s, "a"))
	},

	"only the last attempt at a step may commit its outcome": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		first, second := c.begin(1, 1), c.begin(1, 1)
		late := reply(first, "too late")
		late.Usage = []core.Usage{{Model: "m", InputTokens: 3}}
		_, err := c.s.CommitStep(c.ctx, late)
		require.ErrorIs(t, err, store.ErrTaken)
		require.NoError(t, c.s.ReturnAttempt(c.ctx, first), "it is not the last attempt, and takes back nothing")
		inTime := c.commit(reply(second, "in time"))
		again, err := c.s.CommitStep(c.ctx, late)
		require.NoError(t, err)
		require.Equal(t, inTime.Outbox, again.Outbox, "the outcome is there")
	},

	"no worker expires because the store was away": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		renew(t, s, "b")
		now = now.Add(time.Hour)
		expire := func() []string {
			t.Helper()
			ids, err := s.ExpireWorkers(t.Context(), worker("b"))
			require.NoError(t, err)
			return ids
		}
		require.Empty(t, expire())
		require.False(t, renew(t, s, "b"), "it comes first")
		require.Empty(t, expire())
		now = now.Add(29 * time.Second)
		require.False(t, renew(t, s, "b"))
		require.Empty(t, expire(), "a has had less than its time to renew")
		now = now.Add(time.Second)
		require.Equal(t, []string{"a"}, expire())
	},

	"what a dead worker was sending, another sends at once": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		c := chatOn(t, s, core.Route{Channel: "discord", Account: "main", Chat: "42"})
		c.write("hello")
		ids := c.commit(reply(c.begin(1, 1), "hi")).Outbox
		_, err = s.MarkSending(t.Context(), ids[0], time.Hour)
		require.NoError(t, err)
		now = now.Add(time.Minute)
		renew(t, s, "b")
		_, err = s.MarkSending(t.Context(), ids[0], time.Hour)
		require.ErrorIs(t, err, store.ErrBusy)
		now = now.Add(25 * time.Second)
		renew(t, s, "b")
		now = now.Add(25 * time.Second)
		dead, err := s.ExpireWorkers(t.Context(), worker("b"))
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, dead)
		row, err := s.MarkSending(t.Context(), ids[0], time.Hour)
		require.NoError(t, err)
		require.Equal(t, core.Sending, row.State, "it may have arrived")
	},

	"the store records periods without a worker": func(t *testing.T, open Opener) {
		now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		s := open(t, store.Options{Now: func() time.Time { return now }})
		begin := func(id string) {
			t.Helper()
			_, err := s.RegisterWorker(t.Context(), store.Worker{ID: id, Home: "home", TTL: 30 * time.Second}, cluster, false)
			require.NoError(t, err)
		}
		begin("a")
		died := now
		now = now.Add(time.Minute)
		begin("b")
		want := []core.Outage{{From: died, To: now}}
		now = now.Add(time.Second)
		require.NoError(t, s.DeregisterWorker(t.Context(), "b"))
		require.NoError(t, s.DeregisterWorker(t.Context(), "b"))
		stopped := now
		now = now.Add(time.Hour)
		begin("c")
		want = append(want, core.Outage{From: stopped, To: now})
		begin("c")
		list, err := s.Outages(t.Context())
		require.NoError(t, err)
		require.Len(t, list, 2)
		for i := range list {
			require.True(t, list[i].From.Equal(want[i].From) && list[i].To.Equal(want[i].To), "%v", list)
		}
	},

	"workers of one place are as many as they like": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		from, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		require.Zero(t, from)
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, false)
		require.NoError(t, err)
		renew(t, s, "a")
		alive, err := s.Workers(t.Context())
		require.NoError(t, err)
		require.True(t, alive["a"] && alive["b"], "%v", alive)
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		alive, err = s.Workers(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"b": true}, alive)
	},

	"one worker has a duty, until it ends, is replaced, or does not renew": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		lease := func(id string) bool {
			t.Helper()
			lasts, err := s.Lease(t.Context(), store.Duty("reconcile"), id, 15*time.Second)
			require.NoError(t, err)
			return lasts > 0
		}
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		live := func(ids ...string) {
			t.Helper()
			for _, id := range ids {
				renew(t, s, id)
			}
		}
		live("a", "b", "c")
		require.True(t, lease("a"))
		require.False(t, lease("b"))
		now = now.Add(14 * time.Second)
		live("a", "b", "c")
		require.True(t, lease("a"), "it renews")
		now = now.Add(14 * time.Second)
		require.False(t, lease("b"), "it was renewed")
		now = now.Add(time.Second)
		live("a", "b", "c")
		require.True(t, lease("b"), "the time of the other is over")
		require.False(t, lease("a"))
		require.NoError(t, s.ReleaseLease(t.Context(), store.Duty("reconcile"), "a"), "which is not a's to give back")
		require.False(t, lease("a"))
		require.NoError(t, s.ReleaseLease(t.Context(), store.Duty("reconcile"), "b"))
		require.True(t, lease("a"))
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		require.True(t, lease("c"), "of one that is gone nobody waits for the end of its lease")

		list, err := s.Connections(t.Context())
		require.NoError(t, err)
		require.Empty(t, list, "a duty is no account")
	},

	"nobody has a duty for longer than it is known to live": func(t *testing.T, open Opener) {
		now := time.Now()
		s := open(t, store.Options{Now: func() time.Time { return now }})
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		lease := func(id string) time.Duration {
			t.Helper()
			lasts, err := s.Lease(t.Context(), store.Duty("reconcile"), id, 15*time.Second)
			require.NoError(t, err)
			return lasts
		}
		require.Equal(t, 15*time.Second, lease("a"))
		now = now.Add(20 * time.Second) // it said that it lives for 30
		require.Equal(t, 10*time.Second, lease("a"))
		now = now.Add(10 * time.Second)
		require.Zero(t, lease("a"), "it counts as gone")
		renew(t, s, "b")
		require.Equal(t, 15*time.Second, lease("b"))
		renew(t, s, "a")
		require.Zero(t, lease("a"), "another has it")
	},

	"who had the data folder before is gone": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		before, now := worker("before"), worker("now")
		now.Home = before.Home
		_, err := s.RegisterWorker(t.Context(), before, embedded, false)
		require.NoError(t, err)
		_, err = s.RegisterWorker(t.Context(), now, embedded, false)
		require.NoError(t, err)
		alive, err := s.Workers(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string]bool{"now": true}, alive)
	},

	"a place whose database was lost goes on": func(t *testing.T, open Opener) {
		for _, old := range []store.Place{cluster, embedded} {
			s := open(t, store.Options{})
			fresh := old
			fresh.Claim = "fresh"
			_, err := s.RegisterWorker(t.Context(), worker("a"), old, false)
			require.NoError(t, err)
			require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
			from, err := s.RegisterWorker(t.Context(), worker("a2"), fresh, false)
			require.NoError(t, err)
			require.Equal(t, old, from, "it is said")
			_, err = s.RenewWorker(t.Context(), worker("a"), old)
			require.ErrorIs(t, err, store.ErrPlaceLost)
		}
	},

	"another place is entered only to take over": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		_, err := s.RegisterWorker(t.Context(), worker("a"), embedded, false)
		require.NoError(t, err)
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, false)
		var moved *store.PlaceMovedError
		require.ErrorAs(t, err, &moved)
		require.Equal(t, embedded, moved.Place)
		_, err = s.RenewWorker(t.Context(), worker("a"), embedded)
		require.NoError(t, err, "nothing has changed")
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		_, err = s.RegisterWorker(t.Context(), worker("b"), cluster, true)
		require.NoError(t, err)
		_, err = s.RegisterWorker(t.Context(), worker("b2"), cluster, false)
		require.NoError(t, err)
	},
}
