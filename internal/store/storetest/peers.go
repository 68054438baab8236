package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

var peers = map[string]func(*testing.T, Opener){
	"what a peer says first about the end of a task is final": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: errand.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.PeerWork(c.ctx, task.ID, "oracle")
		require.ErrorIs(t, err, store.ErrNotFound)
		first, err := c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, "the question", first.Text)
		again, err := c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, first, again)
		require.Equal(t, errand.Working, c.task(task.ID).State)
		for _, told := range []errand.PeerTask{
			{ID: "p-1", State: errand.Working}, {ID: "p-2", State: errand.Completed, Text: "42"},
			{ID: "p-1", State: errand.Working}, {ID: "p-1", State: errand.Failed, Text: "no"},
		} {
			_, err := c.s.HearPeer(c.ctx, task.ID, "oracle", told)
			require.NoError(t, err)
		}
		work, err := c.s.PeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, []any{"p-1", errand.Completed}, []any{work.PeerTask, work.State})
		done, _, err := c.s.FinishTask(c.ctx, task.ID, errand.Completed, "")
		require.NoError(t, err)
		require.Equal(t, "42", done.Result)
	},
	"a task that has ended is not sent, and takes no report of a peer": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: errand.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		_, err = c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.ErrorIs(t, err, store.ErrClosed)
		_, err = c.s.HearPeer(c.ctx, task.ID, "oracle", errand.PeerTask{ID: "p-1", State: errand.Completed, Text: "42"})
		require.ErrorIs(t, err, store.ErrClosed)
		require.Empty(t, c.task(task.ID).Result)
	},
}
