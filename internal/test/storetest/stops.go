package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var stops = map[string]func(*testing.T, Opener){
	"a stop names the turn that it is for, begun or not, until the next": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		stop := func() store.Stopped {
			t.Helper()
			out, err := c.s.StopTurn(c.ctx, c.key, "")
			require.NoError(t, err)
			return out
		}
		require.Equal(t, store.Stopped{Session: c.session}, stop(), "nothing has been said")
		c.write("hello")
		require.Equal(t, store.Stopped{Session: c.session, Turn: 1, Any: true}, stop(), "a turn may be about to take it")
		require.Equal(t, store.Stopped{Session: c.session, Turn: 1}, stop(), "whoever sent the first may not have told the session")
		c.write("and?")
		c.begin(2, 1)
		require.Equal(t, store.Stopped{Session: c.session, Turn: 2, Any: true}, stop())
		require.Equal(t, store.Stopped{Session: c.session, Turn: 2}, stop())
		c.write("really?")
		c.commit(reply(c.begin(3, 1), "yes"))
		require.Equal(t, store.Stopped{Session: c.session}, stop(), "the last turn has its reply")
	},
	"a message interrupts the turn before it, not the one that takes it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		interrupt := func(turn int) bool {
			t.Helper()
			closed, err := c.s.InterruptTurn(c.ctx, c.key, c.owner(), turn, "interrupted")
			require.NoError(t, err)
			return closed
		}
		c.write("hello")
		require.False(t, interrupt(1), "it has not begun, and takes the message when it does")
		b := c.begin(1, 1)
		require.Equal(t, []string{"user: hello"}, texts(b.Transcript))
		require.False(t, interrupt(1), "it has taken all there is")
		c.write("wait")
		require.True(t, interrupt(1))
		require.False(t, interrupt(2))
		require.Len(t, c.begin(2, 1).Transcript, 2)
	},
	"what an interrupted turn has asked for goes on, and the next knows": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("trains?")
		id := c.commit(asks(c.begin(1, 1), store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "trains", Waits: true})).Calls[0].Task
		c.write("and hotels?")
		closed, err := c.s.InterruptTurn(c.ctx, c.key, c.owner(), 1, "interrupted")
		require.NoError(t, err)
		require.True(t, closed)
		task := c.task(id)
		require.False(t, task.State.Terminal())
		b := c.begin(2, 1)
		require.Contains(t, texts(b.Transcript), "tool: "+task.Report(""))
		require.Len(t, b.OpenTasks, 1)
	},
}
