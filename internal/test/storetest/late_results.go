package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// lateIn runs an errand of a session that is over when its result comes, and returns
// the notification of it.
func (c *chat) lateIn() core.Notification {
	c.t.Helper()
	id := c.delegate(1, to("trains", "sasha"))
	c.reset()
	c.work(id, "two trains")
	b := c.begin(1, 1)
	require.NotNil(c.t, b.Empty, "what is told apart is no turn")
	list, err := c.s.Deliveries(c.ctx, nil, store.Page{Limit: 1})
	require.NoError(c.t, err)
	require.Equal(c.t, "late:"+string(id), list[0].Key)
	return list[0]
}

func (c *chat) reset() {
	c.t.Helper()
	next, err := c.s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
	require.NoError(c.t, err)
	c.session = next
}

func (c *chat) asked(turn int) []string {
	c.t.Helper()
	c.write("which second train?")
	b := c.begin(turn, 1)
	requireWellFormed(c.t, b.Transcript)
	again := c.begin(turn, 1)
	require.Equal(c.t, texts(b.Transcript), texts(again.Transcript), "a second attempt")
	c.commit(reply(again, "That one."))
	return texts(b.Transcript)
}

// follows is how a transcript has a result that was told without it, and what the
// person asks then.
func (c *chat) follows(n core.Notification) []string {
	task := c.task(n.Task)
	return []string{"assistant: ", "tool: " + task.Report(""), "assistant: Sasha has told the user the outcome of " + string(n.Task) + ".", "user: which second train?"}
}

// lateResults are cases in which a chat gets a result outside of a turn, and a person then asks
// about it.
var lateResults = map[string]func(*testing.T, Opener){
	"told apart: after a reset it is in the next session": func(t *testing.T, open Opener) {
		for _, route := range []core.Route{core.WebRoute("main"), telegram} {
			c := chatOn(t, open(t, store.Options{}), route)
			n := c.lateIn()
			if route == telegram {
				require.NoError(t, c.s.MarkSent(c.ctx, n.ID, "main", []string{"7"}))
				require.NoError(t, c.s.MarkSent(c.ctx, n.ID, "main", []string{"7"}), "after a kill")
			}
			require.Equal(t, c.follows(n), c.asked(1))
			if route == telegram {
				require.NoError(t, c.s.MarkSent(c.ctx, n.ID, "main", []string{"7"}), "after a kill")
			}
			require.Equal(t, append(c.follows(n), "assistant: That one.", "user: which second train?"), c.asked(2), "once")
		}
	},
	"told apart: what has not been sent is in no transcript": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.lateIn()
		require.Equal(t, []string{"user: which second train?"}, c.asked(1))
	},
	"told apart: the primary agent is not shown it as unread": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.lateIn()
		in := c.step(1, 1)
		in.Primary = "nikki"
		c.write("which second train?")
		b, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		require.Empty(t, b.Unread)
	},
	"told apart: on an agent's own account, in the session there and in no other": func(t *testing.T, open Opener) {
		there := telegram
		there.Account = "sasha"
		for _, known := range []bool{true, false} {
			s := open(t, store.Options{})
			c := chatOn(t, s, telegram)
			var d *chat
			if known {
				d = chatOn(t, s, there)
			}
			n := c.lateIn()
			require.NoError(t, s.MarkSent(c.ctx, n.ID, "sasha", []string{"7"}))
			if !known {
				_, err := s.Current(c.ctx, core.NewSessionKey(there, "ada"))
				require.ErrorIs(t, err, store.ErrNotFound, "it begins no session")
			}
			require.Equal(t, []string{"user: which second train?"}, c.asked(1))
			if !known {
				d = chatOn(t, s, there)
			}
			require.Equal(t, c.follows(n), d.asked(1))
		}
	},
	"told apart: a late reply on an agent's own account, as it was said": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, telegram)
		c.work(c.delegate(1, to("trains", "sasha")), "two trains")
		r := c.commit(reply(c.begin(2, 1), "Sasha found two trains."))
		require.NoError(t, s.MarkSent(c.ctx, r.Outbox[len(r.Outbox)-1], "finn", []string{"7"}))
		there := telegram
		there.Account = "finn"
		require.Equal(t, []string{"assistant: Sasha found two trains.", "user: which second train?"}, chatOn(t, s, there).asked(1))
	},
	"told apart: what a turn was given and could not tell is there once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.work(c.delegate(1, to("trains", "sasha")), "two trains")
		c.begin(2, 1)
		_, err := c.s.FoldFailed(c.ctx, c.owner(), 2)
		require.NoError(t, err)
		got := c.asked(3)
		require.Len(t, got, 3+4+1) // a turn that delegates, the fold with its note, and the question
	},
	"told apart: a reset forgets it, and so does deleting": func(t *testing.T, open Opener) {
		for _, deleted := range []string{"no", "the next session", "the session that asked"} {
			c := newChat(t, open, store.Options{})
			old := c.session
			c.lateIn()
			gone := c.session
			if deleted == "the session that asked" {
				gone = old
			}
			if deleted == "no" {
				c.reset()
			} else {
				_, err := c.s.MarkForDeletion(c.ctx, gone, false)
				require.NoError(t, err)
				_, err = c.s.DeleteSession(c.ctx, gone, nil)
				require.NoError(t, err)
				c.session = c.rehydrate().Session
			}
			require.Equal(t, []string{"user: which second train?"}, c.asked(1), deleted)
		}
	},
	"told apart: in a group it is of that chat and person only": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, telegram)
		n := c.lateIn()
		require.NoError(t, s.MarkSent(c.ctx, n.ID, "", []string{"7"}))
		elsewhere := telegram
		elsewhere.Chat = "43"
		require.Equal(t, []string{"user: which second train?"}, chatOn(t, s, elsewhere).asked(1))
		all := &chat{t: t, ctx: c.ctx, s: s, route: telegram, key: core.NewSessionKey(telegram, core.Everyone)}
		all.session = all.rehydrate().Session
		m := all.message("and we?")
		m.MessageID, m.Shared = "all", true
		all.accept(m)
		require.Len(t, all.begin(1, 1).Transcript, 1)
	},
}
