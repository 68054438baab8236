package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func (c *chat) messageLines() (list []string) {
	for _, e := range c.events() {
		if e.Type == core.EventMessage {
			list = append(list, e.Message+" "+e.Cause+": "+e.Text)
		}
	}
	return list
}

// waiting are the promises about messages that no turn has taken, and about replies that
// did not come to their end.
var waiting = map[string]func(*testing.T, Opener){
	"a message that waits can be changed or taken back, and none that a turn has taken": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		listed := func() (texts []string) {
			list, err := c.s.WaitingMessages(c.ctx, c.key)
			require.NoError(t, err)
			for _, m := range list {
				texts = append(texts, m.ID+": "+m.Text)
			}
			return texts
		}
		c.write("trains to Oslo")
		c.write("by day")
		c.accept(c.with("see this", file("plan.txt", "to Oslo")))
		require.Equal(t, []string{"m1: trains to Oslo", "m2: by day", "m3: see this"}, listed())
		require.NoError(t, c.s.EditWaiting(c.ctx, c.key, "m2", "by night"))
		require.NoError(t, c.s.EditWaiting(c.ctx, c.key, "m2", "by night"), "once more")
		require.NoError(t, c.s.Withdraw(c.ctx, c.key, "m3"))
		require.ErrorIs(t, c.s.Withdraw(c.ctx, c.key, "m3"), store.ErrNotFound, "once more")
		require.ErrorIs(t, c.s.EditWaiting(c.ctx, c.key, "none", "x"), store.ErrNotFound)
		require.ErrorIs(t, c.s.Withdraw(c.ctx, core.NewSessionKey(c.route, "bob"), "m1"), store.ErrNotFound, "another's")
		require.Equal(t, []string{"m1: trains to Oslo", "m2: by night"}, listed())
		require.Equal(t, []string{"m1 : trains to Oslo", "m2 : by night", "m3 : ", "m2 edited: by night", "m3 withdrawn: "}, c.messageLines())
		for _, e := range c.events() {
			require.Empty(t, e.Attached)
		}
		b := c.begin(1, 1)
		require.Equal(t, []string{"user: trains to Oslo", "user: by night"}, texts(b.Transcript))
		require.Empty(t, c.artifacts())
		require.Empty(t, listed())
		require.ErrorIs(t, c.s.EditWaiting(c.ctx, c.key, "m2", "by bus"), store.ErrClosed)
		require.ErrorIs(t, c.s.Withdraw(c.ctx, c.key, "m1"), store.ErrClosed)
		require.Len(t, c.messageLines(), 5)

		// With the session goes all of it, what was said of changes too.
		c.commit(reply(b, "at nine"))
		_, err := c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		for _, said := range c.messageLines() {
			require.NotContains(t, said, "night")
		}
	},
	"a message that waited for a turn stands again where the turn took it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("one")
		b := c.begin(1, 1)
		c.write("two")
		c.accept(c.with("three", file("plan.txt", "to Oslo")))
		c.commit(reply(b, "first"))
		c.commit(reply(c.begin(2, 1), "second"))
		c.write("four")
		c.begin(3, 1)
		c.begin(3, 1)
		var lines []string
		for _, e := range c.events() {
			lines = append(lines, e.Message+e.Cause+": "+e.Text)
			require.Equal(t, e.Message == "m3", len(e.Attached) == 1)
		}
		require.Equal(t, []string{"m1: one", "m2: two", "m3: three", ": first", "m2taken: two", "m3taken: three", ": second", "m4: four"}, lines)
		first, err := c.s.MessageEvent(c.ctx, c.key, "m2")
		require.NoError(t, err)
		require.Equal(t, c.events()[1].ID, first, "programs know it by its first event")

		// A hit of a search leads there.
		for query, at := range map[string]int{"one": 0, "two": 4, "three": 5, "second": 6} {
			hits, err := c.s.Search(c.ctx, query, "ada", 0)
			require.NoError(t, err)
			require.Len(t, hits, 1)
			require.Equal(t, c.events()[at].ID, hits[0].Event, query)
		}
	},
	"what was said of a reply that is stopped or interrupted stays in the log, and in no transcript": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		streams := func(turn int, pieces ...string) {
			for _, piece := range pieces {
				c.s.Bus().Publish(core.Event{Type: core.EventDelta, Key: c.key, Session: c.session, Turn: turn, Agent: "nikki", Text: piece, Created: time.Now()})
			}
		}
		partial := func() (list []string) {
			for _, e := range c.events() {
				if e.Type == core.EventPartial {
					list = append(list, string(e.Agent)+": "+e.Text)
				}
			}
			return list
		}
		c.write("a long story")
		c.begin(1, 1)
		streams(1, "Once ", "upon")
		_, err := c.s.StopTurn(c.ctx, c.key, "")
		require.NoError(t, err)
		require.Equal(t, []string{"nikki: Once upon"}, partial())
		all := c.events()
		require.Equal(t, core.EventNotice, all[len(all)-1].Type, "that it was stopped stands behind it")

		c.write("another")
		b := c.begin(2, 1)
		for _, line := range texts(b.Transcript) {
			require.NotContains(t, line, "Once")
		}
		streams(2, "Twice")
		c.write("no, wait")
		closed, err := c.s.InterruptTurn(c.ctx, c.key, c.owner(), 2, "interrupted")
		require.NoError(t, err)
		require.True(t, closed)
		require.Equal(t, []string{"nikki: Once upon", "nikki: Twice"}, partial())

		// A turn with a reply has no partial text, and neither has a turn without deltas.
		b = c.begin(3, 1)
		streams(3, "Thrice")
		c.commit(reply(b, "Thrice."))
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 3, "late"))
		c.write("and?")
		c.begin(4, 1)
		_, err = c.s.StopTurn(c.ctx, c.key, "")
		require.NoError(t, err)
		require.Len(t, partial(), 2)
	},
}
