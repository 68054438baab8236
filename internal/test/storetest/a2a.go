package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var a2a = map[string]func(*testing.T, Opener){
	"a message over A2A asks for one task, however often it comes": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: core.Route{Channel: core.ChannelA2A, Thread: "ctx"}, Person: "ada", Role: core.Partner}
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
		require.ErrorIs(t, c.s.NoteA2AMessage(c.ctx, store.A2AMessage{Person: "ada", Message: "m-1", Task: "t-other", Question: "q-1"}), store.ErrNoted)
		m, err = c.s.A2AMessage(c.ctx, "ada", "m-1")
		require.NoError(t, err)
		require.Equal(t, first.ID, m.Task, "what was noted first stays")

		_, _, err = c.s.FinishTask(c.ctx, first.ID, core.Failed, "no")
		require.NoError(t, err)
		_, err = c.s.DeleteTask(c.ctx, first.ID, nil)
		require.NoError(t, err)
		_, err = c.s.A2AMessage(c.ctx, "ada", "m-1")
		require.ErrorIs(t, err, store.ErrNotFound, "it goes with its task")
	},
	"whom a program wants to be told of a task is told when it asks and when it ends, until they are told no more": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		later := time.Now().Add(time.Hour)
		task, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada", Role: core.Member}, to("x", "sasha"), "")
		require.NoError(t, err)
		for _, id := range []string{"a", "b", "a"} {
			require.NoError(t, c.s.PutA2APush(c.ctx, core.A2APush{Task: task.ID, ID: id, URL: "https://example.org/" + id, Token: "tok"}, 2))
		}
		require.ErrorIs(t, c.s.PutA2APush(c.ctx, core.A2APush{Task: task.ID, ID: "c", URL: "https://example.org/"}, 2), store.ErrTooLarge)
		require.Empty(t, c.due(later), "nothing has happened")
		c.ask(task.ID, 1, store.NewQuestion{ID: "q-1", Text: "Which day?"})
		ids := c.due(later)
		require.Len(t, ids, 2)
		w, err := c.s.Webhook(c.ctx, ids[0])
		require.NoError(t, err)
		p, err := c.s.A2APush(c.ctx, task.ID, w.Push)
		require.NoError(t, err)
		require.Equal(t, []string{w.URL, "tok"}, []string{p.URL, p.Token})
		require.NoError(t, c.s.DeleteA2APush(c.ctx, task.ID, "a"))
		_, err = c.s.A2APush(c.ctx, task.ID, "a")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = c.s.CloseTask(c.ctx, task.ID, "", true)
		require.NoError(t, err)
		require.Len(t, c.due(later), 3, "the one that is left is told of the end")
		require.NoError(t, c.s.PutA2APush(c.ctx, core.A2APush{Task: task.ID, ID: "d", URL: "https://example.org/d"}, 2))
		require.Len(t, c.due(later), 4, "who asks too late is told at once")
		_, err = c.s.DeleteTask(c.ctx, task.ID, nil)
		require.NoError(t, err)
		left, err := c.s.A2APushes(c.ctx, task.ID)
		require.NoError(t, err)
		require.Empty(t, left, "they go with their task")
		require.ErrorIs(t, c.s.PutA2APush(c.ctx, core.A2APush{Task: task.ID, ID: "e"}, 2), store.ErrNotFound)
	},
	"what a program says to a task is noted with it, and for one thing": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Person: "ada", Role: core.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("blue", "sasha"), "")
		require.NoError(t, err)
		says := func(message string) store.TaskMessage {
			return store.TaskMessage{Key: message, Person: "ada", Role: core.Member, Text: "green", A2A: &store.A2AMessage{Person: "ada", Message: message, Context: "ctx"}}
		}
		noted := func(message string) core.TaskID {
			m, err := c.s.A2AMessage(c.ctx, "ada", message)
			require.NoError(t, err)
			return m.Task
		}
		require.NoError(t, c.s.NoteA2AMessage(c.ctx, store.A2AMessage{Person: "ada", Message: "m-1", Task: task.ID, Question: "q-1"}))
		_, err = c.s.AddToTask(c.ctx, task.ID, says("m-1"))
		require.ErrorIs(t, err, store.ErrNoted, "it answers a question")
		require.Zero(t, c.task(task.ID).Added)
		_, err = c.s.AddToTask(c.ctx, task.ID, says("m-2"))
		require.NoError(t, err)
		require.Equal(t, task.ID, noted("m-2"))
		_, err = c.s.CloseTask(c.ctx, task.ID, "", false)
		require.NoError(t, err)
		_, err = c.s.AddToTask(c.ctx, task.ID, says("m-3"))
		require.ErrorIs(t, err, store.ErrClosed)
		next, err := c.s.ContinueTask(c.ctx, task.ID, o, says("m-3"))
		require.NoError(t, err)
		require.Equal(t, next.ID, noted("m-3"), "what was refused was not noted")
		_, err = c.s.ContinueTask(c.ctx, task.ID, o, says("m-1"))
		require.ErrorIs(t, err, store.ErrNoted)
	},
}
