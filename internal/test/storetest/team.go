package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var team = map[string]func(*testing.T, Opener){
	"of several accounts that hear one call in a group the first has it, for good": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		written := s.Now()
		takes := func(account, chat, call string, at time.Time) string {
			t.Helper()
			by, err := s.TakeCall(t.Context(), core.Route{Channel: "telegram", Account: account, Chat: chat}, at, call)
			require.NoError(t, err)
			return by
		}
		var wg sync.WaitGroup
		taken := make([]string, 8)
		for i := range taken {
			wg.Go(func() { taken[i] = takes([]string{"main", "finn"}[i%2], "g1", "a", written) })
		}
		wg.Wait()
		for _, by := range taken {
			require.Equal(t, taken[0], by)
		}
		other := map[string]string{"main": "finn", "finn": "main"}[taken[0]]
		require.Equal(t, taken[0], takes(other, "g1", "a", written))
		require.Equal(t, other, takes(other, "g2", "a", written), "another chat")
		require.Equal(t, other, takes(other, "g1", "b", written), "another call")
		require.Equal(t, other, takes(other, "g1", "a", written.Add(time.Second)), "at another time")
		clock.tick(3 * day)
		takes("main", "g3", "a", s.Now())
		require.Equal(t, taken[0], takes(other, "g1", "a", written), "a platform delivers it days later")
		clock.tick(5 * day)
		takes("main", "g3", "a", s.Now())
		require.Equal(t, other, takes(other, "g1", "a", written), "none is kept for ever")
	},
	"a mention asks for one task, however often it comes": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		n := to("implement this", "finn")
		n.Request = "test main m1 finn"
		n.Briefing = &core.Briefing{By: "Ada", With: "nikki", Choice: core.BriefingLast, Of: 3, Messages: []core.BriefingMessage{{Who: "Ada", Text: "hello", Cut: 2}}}
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner, Direct: true}
		first, err := c.s.CreateTask(c.ctx, o, n, "")
		require.NoError(t, err)
		again, err := c.s.CreateTask(c.ctx, o, n, "")
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID)
		require.Equal(t, n.Briefing, c.task(first.ID).Briefing)
		require.True(t, c.task(first.ID).Origin.Direct)
		there, err := c.s.RequestedTasks(c.ctx, []string{n.Request, "test main m1 priest"})
		require.NoError(t, err)
		require.Len(t, there, 1)
		ids, err := c.s.OpenRequests(c.ctx, "ada")
		require.NoError(t, err)
		require.Equal(t, []core.TaskID{first.ID}, ids)
		_, _, err = c.s.FinishTask(c.ctx, first.ID, core.Failed, "no")
		require.NoError(t, err)
		ids, err = c.s.OpenRequests(c.ctx, "ada")
		require.NoError(t, err)
		require.Empty(t, ids)
	},
	"what a person asked for is told in the agent's voice while the session goes on": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner, Direct: true}
		task, err := c.s.CreateTask(c.ctx, o, to("implement this", "finn"), "")
		require.NoError(t, err)
		_, _, err = c.s.FinishTask(c.ctx, task.ID, core.Failed, "no")
		require.NoError(t, err)
		b, err := c.s.BeginStep(c.ctx, c.step(1, 1))
		require.NoError(t, err)
		require.NotNil(t, b.Empty, "no model is called for it")
		require.Equal(t, core.WayNotification, c.task(task.ID).Way)
	},
	"messages are found by the words of a task, in their order": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for i, text := range []string{"we need OAuth with refresh tokens", "what a fine day", "the tokens live an hour", "lunch?"} {
			c.write(text)
			c.commit(reply(c.begin(i+1, 1), "noted"))
		}
		texts := func(task string, n int) []string {
			list, err := c.s.RankedMessages(c.ctx, c.key, c.session, false, task, n)
			require.NoError(t, err)
			texts := []string{}
			for _, m := range list {
				texts = append(texts, m.Text)
			}
			return texts
		}
		require.Equal(t, []string{"we need OAuth with refresh tokens", "the tokens live an hour"}, texts("refresh the TOKENS \" OR (", 5))
		require.Equal(t, []string{"we need OAuth with refresh tokens"}, texts("OAuth tokens", 1))
		require.Empty(t, texts("nothing of it", 5))
		require.Empty(t, texts("?!", 5))

		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner, Direct: true}
		told, err := c.s.CreateTask(c.ctx, o, to("what are refresh tokens?", "finn"), "")
		require.NoError(t, err)
		c.commit(reply(c.sub(told.ID, "finn", 1, 1), "OAuth renews tokens with a refresh token"))
		_, _, err = c.s.FinishTask(c.ctx, told.ID, core.Completed, "")
		require.NoError(t, err)
		_, err = c.s.BeginStep(c.ctx, c.step(5, 1))
		require.NoError(t, err)
		require.Equal(t, core.WayNotification, c.task(told.ID).Way)
		require.Equal(t, []string{"we need OAuth with refresh tokens", "the tokens live an hour", "OAuth renews tokens with a refresh token"}, texts("OAuth refresh tokens", 5))
		require.Equal(t, []string{"we need OAuth with refresh tokens", "OAuth renews tokens with a refresh token"}, texts("OAuth refresh tokens", 2))
	},
}
