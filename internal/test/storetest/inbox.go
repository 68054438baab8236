package storetest

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var inbox = map[string]func(*testing.T, Opener){
	"a message delivered twice is one row": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("hello")
		first, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		again, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.False(t, first.Duplicate)
		require.Equal(t, store.InboxRow{ID: first.ID, Session: c.key, Duplicate: true}, again)
		require.Len(t, c.events(), 1)
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript))
		again, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.Equal(t, store.InboxRow{ID: first.ID, Session: c.key, Duplicate: true, Claimed: true}, again)
	},
	"two people may use the same id in chats of the same name": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Member)
		require.NoError(t, err)
		first := c.message("hello")
		_, err = c.s.Accept(c.ctx, first)
		require.NoError(t, err)
		for revision, text := range []string{"mine", "mine, mended"} {
			his := first
			his.Person, his.Revision, his.Text = "bob", revision, text
			row, err := c.s.Accept(c.ctx, his)
			require.NoError(t, err)
			require.False(t, row.Duplicate)
		}
		bob := *c
		bob.key = core.NewSessionKey(c.route, "bob")
		bob.session = bob.rehydrate().Session
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript))
		require.Equal(t, []string{"user: mine, mended"}, texts(bob.begin(1, 1).Transcript))

		// On a platform a message stays the same, even if its sender is now another person.
		there := core.Route{Channel: "telegram", Account: "main", Chat: "c1"}
		for i, who := range []core.PersonID{"ada", "bob"} {
			first.Route, first.Person = there, who
			row, err := c.s.Accept(c.ctx, first)
			require.NoError(t, err)
			require.Equal(t, i > 0, row.Duplicate)
		}
	},
	"the answer of a command is only the asker's": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		command := c.message("ada's tasks")
		require.NoError(t, c.s.NoteCommand(c.ctx, command))
		his := command
		his.Person, his.Text = "bob", "bob's tasks"
		_, seen, _, err := c.s.CommandAnswer(c.ctx, his)
		require.NoError(t, err)
		require.False(t, seen, "two people may use the same id in chats of the same name")
		require.NoError(t, c.s.NoteCommand(c.ctx, his))
		for _, m := range []store.InboxMessage{command, his} {
			answer, seen, _, err := c.s.CommandAnswer(c.ctx, m)
			require.NoError(t, err)
			require.True(t, seen)
			require.Equal(t, m.Text, answer)
		}
	},
	"a message delivered by many at once is one row": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("hello")
		rows := inParallel(t, 16, func(int) (store.InboxRow, error) { return c.s.Accept(c.ctx, m) })
		fresh := 0
		for _, r := range rows {
			require.Equal(t, rows[0].ID, r.ID)
			if !r.Duplicate {
				fresh++
			}
		}
		require.Equal(t, 1, fresh)
		require.Len(t, c.events(), 1)
	},
	"an edit takes the place of what no turn has taken": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("frist")
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		c.write("second")
		m.Text, m.Revision = "first", 1
		_, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		m.Text, m.Revision = "long ago", 0
		m.MessageID += "x"
		_, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.Equal(t, []string{"user: first", "user: second", "user: long ago"}, texts(c.begin(1, 1).Transcript))
	},
	"an edit of what a turn has taken is a message of its own": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("frist")
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		c.commit(reply(c.begin(1, 1), "ok"))
		m.Text, m.Revision = "first", 1
		_, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.Equal(t, "(edited) first", c.events()[len(c.events())-1].Text, "as people read it")
		c.write("(edited) not so, and [edited] neither")
		b := c.begin(2, 1)
		require.Equal(t, []string{"user: frist", "assistant: ok", "user: [edited] first", "user: (edited) not so, and [edited] neither"}, texts(b.Transcript))
		require.Equal(t, b.Nonce.Mark("edited")+" first", b.Transcript[2].Text, "nobody can write that themselves")
		require.NotContains(t, b.Transcript[3].Text, string(b.Nonce))
	},
	"an edit older than the one that is there is not answered": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("newest")
		m.Revision = 2
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		m.Text, m.Revision = "older", 1
		_, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.Equal(t, []string{"user: newest"}, texts(c.begin(1, 1).Transcript))
	},
	"each message of a burst is taken once, in order": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		var want []string
		for i := range 5 {
			c.write(fmt.Sprint("m", i))
			want = append(want, fmt.Sprint("user: m", i))
		}
		require.Equal(t, want, texts(c.begin(1, 1).Transcript))
		require.Equal(t, want, texts(c.begin(1, 1).Transcript), "a second attempt")
		require.Equal(t, 5, c.commit(reply(c.begin(1, 1), "ok")).Claims)
		require.NotNil(t, c.begin(2, 1).Empty)
	},
	"a queued turn takes one message, also on a second attempt": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("one")
		c.write("two")
		in := c.step(1, 1)
		in.Rows = store.ClaimOne
		for range 2 {
			b, err := c.s.BeginStep(c.ctx, in)
			require.NoError(t, err)
			require.Equal(t, []string{"user: one"}, texts(b.Transcript))
		}
	},
	"concurrent attempts take each message once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for i := range 10 {
			c.write(fmt.Sprint("m", i))
		}
		inParallel(t, 8, func(int) (*store.StepInput, error) { return c.s.BeginStep(c.ctx, c.step(1, 1)) })
		stored, err := c.s.Transcript(c.ctx, c.owner(), 0)
		require.NoError(t, err)
		require.Len(t, stored, 10)
	},
	"a message written while a turn runs is appended after the tool results": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		c.commit(calls(c.begin(1, 1), "search", "read"))
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: c.step(1, 1).Key, Index: 1}, "found"))
		c.write("in Oslo")
		in := c.step(1, 2)
		in.Rows = store.ClaimAll
		b, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		require.Equal(t, []string{
			"user: search", "assistant: ", "tool: found",
			"tool: error: this tool call did not finish; its outcome is unknown", "user: in Oslo",
		}, texts(b.Transcript))
		again, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		require.Equal(t, texts(b.Transcript), texts(again.Transcript))
	},
	"it is known of which messages a session was told": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		soon := time.Now().Add(time.Hour)
		waiting := func() store.WaitingSession {
			list := listed(t, c.s.WaitingSessions(c.ctx, soon))
			require.Len(t, list, 1)
			require.Equal(t, c.key, list[0].Key)
			return list[0]
		}
		c.write("hello")
		w := waiting()
		require.Zero(t, w.Signalled)
		require.NoError(t, c.s.NoteSignalled(c.ctx, w))
		require.NotZero(t, waiting().Signalled)
		c.write("are you there?")
		require.Zero(t, waiting().Signalled, "of the second it was not told")
		require.NoError(t, c.s.NoteSignalled(c.ctx, w))
		require.Zero(t, waiting().Signalled, "what came since was not meant")
		require.NoError(t, c.s.NoteSignalled(c.ctx, waiting()))
		require.NotZero(t, waiting().Signalled)
		c.begin(1, 1)
		require.Empty(t, listed(t, c.s.WaitingSessions(c.ctx, soon)))
	},
	"messages that no turn has taken are found": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		soon := time.Now().Add(time.Hour)
		require.Equal(t, []core.SessionKey{c.key}, untaken(t, c, soon))
		require.Empty(t, untaken(t, c, time.Now().Add(-time.Hour)))
		require.True(t, c.rehydrate().Messages)
		waits, err := c.s.Waits(c.ctx, c.key)
		require.NoError(t, err)
		require.True(t, waits)
		c.begin(1, 1)
		require.Empty(t, untaken(t, c, soon))
		waits, err = c.s.Waits(c.ctx, c.key)
		require.NoError(t, err)
		require.False(t, waits)
		require.Equal(t, 1, c.rehydrate().OpenTurn)
	},
}

// inParallel runs do n times at once and returns what they returned; none may
// fail.
func inParallel[T any](t testing.TB, n int, do func(i int) (T, error)) []T {
	t.Helper()
	results, errs := make([]T, n), make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			results[i], errs[i] = do(i)
		})
	}
	close(start)
	wg.Wait()
	for _, err := range errs {
		require.NoError(t, err)
	}
	return results
}

// untaken returns the conversations with messages that no turn has taken.
func untaken(t *testing.T, c *chat, before time.Time) (keys []core.SessionKey) {
	t.Helper()
	for _, w := range listed(t, c.s.WaitingSessions(c.ctx, before)) {
		keys = append(keys, w.Key)
	}
	return keys
}
