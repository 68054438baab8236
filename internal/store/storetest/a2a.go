package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

var a2a = map[string]func(*testing.T, Opener){
	"a message over A2A asks for one task, however often it comes": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: errand.Route{Channel: errand.ChannelA2A, Thread: "ctx"}, Person: "ada", Role: errand.Partner}
		n := to("blue", "sasha")
		n.A2A = &store.A2AMessage{Person: "ada", Message: "m-1", Context: "ctx"}
		first, err := c.s.CreateTask(c.ctx, o, n, "")
		require.NoError(t, err)
		again, err := c.s.CreateTask(c.ctx, o, n, "")
		require.NoError(t, err)
		require.Equal(t, first.ID, again.ID)
		n.A2A = &store.A2AMessage{Person: "bob", Message: "m-1", Context: "ctx"}
		o.Person = "bob"
		bobs, err := c.s.CreateTask(c.ctx, o, n, "")
		require.NoError(t, err)
		require.NotEqual(t, first.ID, bobs.ID, "the names that programs give are those of one person")

		m, err := c.s.A2AMessage(c.ctx, "ada", "m-1")
		require.NoError(t, err)
		require.Equal(t, first.ID, m.Task)
		_, err = c.s.A2AMessage(c.ctx, "ada", "m-2")
		require.ErrorIs(t, err, store.ErrNotFound)
		last, err := c.s.LastA2ATask(c.ctx, "ada", "ctx")
		require.NoError(t, err)
		require.Equal(t, first.ID, last.ID)
		_, err = c.s.LastA2ATask(c.ctx, "ada", "other")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.CreateTask(c.ctx, o, to("not over A2A", "sasha"), "")
		require.NoError(t, err)
		f := store.TaskFilter{Person: "ada", A2A: true, Context: "ctx"}
		list, err := c.s.Tasks(c.ctx, f)
		require.NoError(t, err)
		require.Len(t, list, 1)
		all, err := c.s.CountTasks(c.ctx, f)
		require.NoError(t, err)
		require.Equal(t, 1, all)
		require.NoError(t, c.s.NoteA2AMessage(c.ctx, store.A2AMessage{Person: "ada", Message: "m-1", Task: "t-other", Question: "q-1"}))
		m, err = c.s.A2AMessage(c.ctx, "ada", "m-1")
		require.NoError(t, err)
		require.Equal(t, first.ID, m.Task, "what was noted first stays")

		_, _, err = c.s.FinishTask(c.ctx, first.ID, errand.Failed, "no")
		require.NoError(t, err)
		_, err = c.s.DeleteTask(c.ctx, first.ID, nil)
		require.NoError(t, err)
		_, err = c.s.A2AMessage(c.ctx, "ada", "m-1")
		require.ErrorIs(t, err, store.ErrNotFound, "it goes with its task")
	},
}
