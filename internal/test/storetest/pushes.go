package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func browser(person core.PersonID, name string) core.PushSubscription {
	return core.PushSubscription{Person: person, Endpoint: "https://push.example.org/" + name, P256DH: "key-" + name, Auth: "auth-" + name, Label: name}
}

func (c *chat) subscribes(p core.PushSubscription) (core.PushSubscription, error) {
	return c.s.PutPushSubscription(c.ctx, p, store.PushRenewal{})
}

func (c *chat) pushes() []string {
	var ids []string
	for due, err := range c.s.AllDuePushes(c.ctx, time.Now().Add(time.Hour)) {
		require.NoError(c.t, err)
		ids = append(ids, due.ID)
	}
	return ids
}

func (c *chat) lates(turn int) core.Event {
	c.t.Helper()
	c.work(c.delegate(turn, to("trains", "sasha")), "at seven")
	c.commit(reply(c.begin(turn+1, 1), "the words of it"))
	events := c.events()
	last := events[len(events)-1]
	require.Equal(c.t, core.EventLate, last.Type)
	return last
}

func withBrowsers(t *testing.T, open Opener, names ...string) *chat {
	c := newChat(t, open, store.Options{})
	_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Partner)
	require.NoError(t, err)
	for _, name := range names {
		_, err := c.subscribes(browser("ada", name))
		require.NoError(t, err)
	}
	return c
}

var pushes = map[string]func(*testing.T, Opener){
	"each browser of a person is told once of what comes by itself, until it was": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open, "phone", "laptop")
		_, err := c.subscribes(browser("bob", "bobs"))
		require.NoError(t, err)
		require.Empty(t, c.pushes())
		e := c.lates(1)
		ids := c.pushes()
		require.Len(t, ids, 2)
		due, err := c.s.DuePushes(c.ctx, c.key, e.ID)
		require.NoError(t, err)
		require.Len(t, due, 2)
		require.Equal(t, core.PersonID("ada"), due[0].Person)
		p, err := c.s.Push(c.ctx, ids[0])
		require.NoError(t, err)
		require.Equal(t, e.ID, p.Event.ID)
		require.Contains(t, p.Event.Text, "the words of it")
		require.False(t, p.Seen)
		require.True(t, strings.HasPrefix(p.Subscription.Endpoint, "https://push.example.org/"))

		require.NoError(t, c.s.NotePush(c.ctx, ids[0], store.PushTried, "no\x00 answer"))
		require.Equal(t, ids, c.pushes(), "it is tried again")
		require.NoError(t, c.s.NotePush(c.ctx, ids[0], store.PushSent, ""))
		require.Equal(t, ids[1:], c.pushes())
		_, err = c.s.Push(c.ctx, ids[0])
		require.ErrorIs(t, err, store.ErrNotFound)
		require.NoError(t, c.s.NotePush(c.ctx, ids[1], store.PushFailed, "no"))
		require.Empty(t, c.pushes(), "it was the last attempt")
		list, err := c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Len(t, list, 2)
		for _, s := range list {
			require.Equal(t, s.Sent.IsZero(), s.Failures == 1, "what was taken counts from anew: %+v", s)
		}
	},
	"what was seen is known before a browser is told": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open, "phone")
		e := c.lates(1)
		require.NoError(t, c.s.ChangeChat(c.ctx, "ada", c.session, core.ChatChange{Seen: &e.ID}))
		p, err := c.s.Push(c.ctx, c.pushes()[0])
		require.NoError(t, err)
		require.True(t, p.Seen)
	},
	"a browser that its push service does not know any more goes, with what is due to it": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open, "phone")
		c.lates(1)
		c.lates(3)
		require.Len(t, c.pushes(), 2)
		require.NoError(t, c.s.NotePush(c.ctx, c.pushes()[1], store.PushGone, ""))
		require.Empty(t, c.pushes())
		list, err := c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Empty(t, list)
	},
	"a browser is its person's, and goes with its login": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open)
		_, login, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenLogin}, time.Hour)
		require.NoError(t, err)
		phone := browser("ada", "phone")
		phone.Login = login.ID
		kept, err := c.subscribes(phone)
		require.NoError(t, err)
		require.ErrorIs(t, c.s.DeletePushSubscription(c.ctx, "bob", kept.ID), store.ErrNotFound, "it is another's")
		forged := browser("bob", "phone")
		forged.Auth = "other"
		_, err = c.subscribes(forged)
		require.ErrorIs(t, err, store.ErrOtherBrowser)

		yes := true
		again, err := c.s.PutPushSubscription(c.ctx, phone, store.PushRenewal{Words: &yes})
		require.NoError(t, err)
		require.Equal(t, kept.ID, again.ID, "it is the same one")
		again, err = c.subscribes(phone)
		require.NoError(t, err)
		require.True(t, again.Words, "as before")
		c.lates(1)
		due := c.pushes()
		require.Len(t, due, 1)
		require.NoError(t, c.s.RevokeToken(c.ctx, login.ID))
		_, err = c.s.Push(c.ctx, due[0])
		require.ErrorIs(t, err, store.ErrNotFound, "nobody is logged in there any more")
		list, err := c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Empty(t, list)
		require.Equal(t, due, c.pushes(), "somebody has to drop it")
		require.NoError(t, c.s.NotePush(c.ctx, due[0], store.PushDropped, ""))
		require.Empty(t, c.pushes())

		_, err = c.subscribes(browser("ada", "shared"))
		require.NoError(t, err)
		_, err = c.subscribes(browser("bob", "shared"))
		require.NoError(t, err, "bob is logged in there now")
		list, err = c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Empty(t, list)
	},
	"a subscription takes the place of one that is over, and of nobody else's": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open)
		yes := true
		_, err := c.s.PutPushSubscription(c.ctx, browser("ada", "old"), store.PushRenewal{Words: &yes})
		require.NoError(t, err)
		_, err = c.s.PutPushSubscription(c.ctx, browser("bob", "bobs"), store.PushRenewal{Replaces: browser("ada", "old").Endpoint})
		require.NoError(t, err)
		now, err := c.s.PutPushSubscription(c.ctx, browser("ada", "new"), store.PushRenewal{Replaces: browser("ada", "old").Endpoint})
		require.NoError(t, err)
		list, err := c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Equal(t, []core.PushSubscription{now}, list)
		require.True(t, now.Words)
		bobs, err := c.s.PushSubscriptions(c.ctx, "bob")
		require.NoError(t, err)
		require.Len(t, bobs, 1)
		require.False(t, bobs[0].Words)
	},
	"what is due of a session goes with it, and nothing else of its chat": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open, "phone", "laptop")
		c.lates(1)
		before := c.session
		next, err := c.s.EndSession(c.ctx, c.key, before, "reset", "nikki")
		require.NoError(t, err)
		c.session = next
		kept := c.lates(1)
		require.Len(t, c.pushes(), 4)
		_, err = c.s.MarkForDeletion(c.ctx, before, false)
		require.NoError(t, err)
		gone, err := c.s.DeleteSession(c.ctx, before, nil)
		require.NoError(t, err)
		require.Equal(t, 2, gone["pushes"])
		require.Len(t, c.pushes(), 2)
		for _, id := range c.pushes() {
			p, err := c.s.Push(c.ctx, id)
			require.NoError(t, err)
			require.Equal(t, kept.ID, p.Event.ID)
		}
	},
	"what is due to a login that has ended is not told, nor when somebody is logged in there again": func(t *testing.T, open Opener) {
		now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		var due []string
		for i, end := range []func(core.Token, string){
			func(core.Token, string) { now = now.Add(2 * time.Hour) },
			func(_ core.Token, shown string) { require.NoError(t, c.s.RevokeSecret(c.ctx, shown)) },
		} {
			shown, login, err := c.s.CreateToken(c.ctx, core.Token{Person: "ada", Kind: core.TokenLogin}, time.Hour)
			require.NoError(t, err)
			phone := browser("ada", "phone")
			phone.Login = login.ID
			_, err = c.subscribes(phone)
			require.NoError(t, err)
			for _, id := range due {
				_, err := c.s.Push(c.ctx, id)
				require.ErrorIs(t, err, store.ErrNotFound, "it was due to the login before")
			}
			e := c.lates(2*i + 1)
			pushed, err := c.s.DuePushes(c.ctx, c.key, e.ID)
			require.NoError(t, err)
			require.Len(t, pushed, 1)
			due = append(due, pushed[0].ID)
			_, err = c.s.Push(c.ctx, pushed[0].ID)
			require.NoError(t, err)
			end(login, shown)
			_, err = c.s.Push(c.ctx, pushed[0].ID)
			require.ErrorIs(t, err, store.ErrNotFound)
		}
	},
	"the browser that was told longest ago makes room": func(t *testing.T, open Opener) {
		c := withBrowsers(t, open)
		var first, last core.PushSubscription
		for i := range store.MostPushSubscriptions + 1 {
			s, err := c.subscribes(browser("ada", fmt.Sprint(i)))
			require.NoError(t, err)
			if i == 0 {
				first = s
			}
			last = s
		}
		list, err := c.s.PushSubscriptions(c.ctx, "ada")
		require.NoError(t, err)
		require.Len(t, list, store.MostPushSubscriptions)
		require.Equal(t, last.ID, list[len(list)-1].ID)
		for _, s := range list {
			require.NotEqual(t, first.ID, s.ID)
		}
	},
	"all workers have one key for web push": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for _, drawn := range []string{"a", "b"} {
			key, err := c.s.PushKey(c.ctx, drawn)
			require.NoError(t, err)
			require.Equal(t, "a", key)
		}
	},
}
