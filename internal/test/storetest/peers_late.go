package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func (c *chat) peerWorks(agent core.AgentName) core.Task {
	c.t.Helper()
	o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
	task, err := c.s.CreateTask(c.ctx, o, to("the question", agent), "")
	require.NoError(c.t, err)
	_, err = c.s.BeginPeerWork(c.ctx, task.ID, agent)
	require.NoError(c.t, err)
	_, err = c.s.KeepPeerTask(c.ctx, task.ID, agent, core.PeerTask{ID: "p-1", State: core.Working})
	require.NoError(c.t, err)
	return task
}

func (c *chat) lateDue(agents ...core.AgentName) (ids []core.TaskID) {
	c.t.Helper()
	list, err := c.s.LatePeers(c.ctx, agents, 10)
	require.NoError(c.t, err)
	for _, w := range list {
		ids = append(ids, w.Task)
	}
	return ids
}

var latePeers = map[string]func(*testing.T, Opener){
	"a peer that was given up goes on, and what it says then is kept once and told": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		task := c.peerWorks("oracle")
		require.Empty(t, c.lateDue("oracle"), "somebody waits for it")
		work, err := c.s.GiveUpPeer(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Working}, "waited out")
		require.NoError(t, err)
		require.Equal(t, core.Working, work.State)
		require.True(t, work.IsOver())
		heard, err := c.s.KeepPeerTask(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Text: "42"})
		require.NoError(t, err)
		require.Equal(t, core.Working, heard.State, "nobody waits for it any more")
		done, _, err := c.s.FinishTask(c.ctx, task.ID, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, []any{core.Failed, "waited out"}, []any{done.State, done.Error})

		require.Empty(t, c.lateDue("oracle"), "it has only just been given up")
		w.now = w.now.Add(2 * time.Minute)
		require.Equal(t, []core.TaskID{task.ID}, c.lateDue("oracle"))
		require.Empty(t, c.lateDue("sasha"))
		require.NoError(t, c.s.PostponePoll(c.ctx, task.ID, "oracle"))
		require.Empty(t, c.lateDue("oracle"))

		status := core.PeerTask{ID: "p-1", State: core.Working, Text: "half", Word: "1"}
		late, first, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", status)
		require.NoError(t, err)
		require.True(t, first)
		require.Equal(t, []any{core.LateStatus, "half", task.ID, core.WayUndecided}, []any{late.Late, late.Result, late.LateOf, late.Way})
		again, first, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", status)
		require.NoError(t, err)
		require.Nil(t, again)
		require.False(t, first)
		status.Word = "2"
		again, first, err = c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", status)
		require.NoError(t, err)
		require.False(t, first, "there is one of each kind")
		require.Equal(t, late.ID, again.ID)
		late, first, err = c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Text: "42"})
		require.NoError(t, err)
		require.True(t, first)
		require.Equal(t, []any{core.LateResult, "42", core.Completed}, []any{late.Late, late.Result, late.State})
		w.now = w.now.Add(24 * time.Hour)
		require.Empty(t, c.lateDue("oracle"), "it has ended")
		require.Equal(t, "waited out", c.task(task.ID).Error)

		c.begin(1, 1)
		for _, of := range []core.LateKind{core.LateStatus, core.LateResult} {
			list, err := c.s.Tasks(c.ctx, store.TaskFilter{Person: "ada", LateOf: task.ID, Kind: of})
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, core.WayFold, list[0].Way)
		}
	},
	"of a task that was canceled all that comes late is told but how far it is, which is kept": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		require.Equal(t, []core.TaskID{task.ID}, c.lateDue("oracle"))
		for _, told := range []struct {
			says core.PeerTask
			kind core.LateKind
			way  core.Way
		}{
			{core.PeerTask{ID: "p-1", State: core.Working, Text: "half", Word: "1"}, core.LateStatus, core.WayNone},
			{core.PeerTask{ID: "p-1", State: core.InputRequired, Text: "which?", Word: "2"}, core.LateInputRequired, core.WayUndecided},
			{core.PeerTask{ID: "p-1", State: core.Working, Text: "more than half", Word: "3"}, core.LateStatus, core.WayNone},
			{core.PeerTask{ID: "p-1", State: core.Completed, Text: "42"}, core.LateResult, core.WayUndecided},
		} {
			late, first, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", told.says)
			require.NoError(t, err)
			require.Equal(t, told.says.Word != "3", first, "there is one of each kind")
			require.Equal(t, []any{told.kind, told.way}, []any{late.Late, late.Way})
			require.Equal(t, told.way, c.task(late.ID).Way)
		}
		require.Equal(t, core.Canceled, c.task(task.ID).State)
		c.begin(1, 1)
		for kind, way := range map[core.LateKind]core.Way{core.LateStatus: core.WayNone, core.LateInputRequired: core.WayFold, core.LateResult: core.WayFold} {
			list, err := c.s.Tasks(c.ctx, store.TaskFilter{Person: "ada", LateOf: task.ID, Kind: kind})
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.Equal(t, way, list[0].Way, kind)
		}
	},
	"that a peer has canceled is a late error, but where it was told to": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		told := core.PeerTask{ID: "p-1", State: core.Failed, Text: "canceled", Canceled: true}
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		late, first, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", told)
		require.NoError(t, err)
		require.Nil(t, late)
		require.False(t, first)
		require.Empty(t, c.lateDue("oracle"), "it has ended there")
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
		other, err := c.s.CreateTask(c.ctx, o, to("another question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, other.ID, "oracle")
		require.NoError(t, err)
		_, err = c.s.GiveUpPeer(c.ctx, other.ID, "oracle", core.PeerTask{ID: "p-2", State: core.Working}, "waited out")
		require.NoError(t, err)
		_, _, err = c.s.FinishTask(c.ctx, other.ID, core.Completed, "")
		require.NoError(t, err)
		late, first, err = c.s.KeepLateAnswer(c.ctx, other.ID, "oracle", told)
		require.NoError(t, err)
		require.True(t, first)
		require.Equal(t, []any{core.LateError, core.WayUndecided}, []any{late.Late, late.Way})
	},
	"a turn is given what it has room for of a late answer, and the whole is a file of its session": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		long := strings.Repeat("words ", 10_000)
		late, _, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Text: long})
		require.NoError(t, err)
		for range 2 { // the step is begun again by another worker
			b := c.begin(1, 1)
			text := b.Transcript[len(b.Transcript)-1].Text
			require.Contains(t, text, "The whole result is the file a-")
			require.Less(t, len(text), 21_000)
		}
		files, err := c.s.Artifacts(c.ctx, c.session)
		require.NoError(t, err)
		require.Len(t, files, 1)
		require.Equal(t, []any{"late-result-of-oracle", core.PersonID("ada"), int64(len(long))}, []any{files[0].Name, files[0].Person, files[0].Size})
		require.True(t, files[0].Within(late.Origin))
		require.Equal(t, long, c.task(late.ID).Result)
	},
	"a peer whose task ended long ago, before peers were looked at, is left": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		w.now = w.now.Add(31 * 24 * time.Hour)
		require.Empty(t, c.lateDue("oracle"))
	},
	"a peer is looked at for thirty days after nobody waits for it": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		looks := 0
		for range 45 * 24 {
			for range c.lateDue("oracle") {
				looks++
				require.NoError(t, c.s.PostponePoll(c.ctx, task.ID, "oracle"))
			}
			w.now = w.now.Add(time.Hour)
		}
		require.Greater(t, looks, 300)
		require.Less(t, looks, 800)
		require.Empty(t, c.lateDue("oracle"))
	},
	"a peer that nobody waits for is due every five seconds until its task is ten minutes old": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		task := c.peerWorks("oracle")
		_, err := c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		for range 10 * 12 {
			w.now = w.now.Add(5 * time.Second)
			require.Equal(t, []core.TaskID{task.ID}, c.lateDue("oracle"))
			require.NoError(t, c.s.PostponePoll(c.ctx, task.ID, "oracle"))
			require.Empty(t, c.lateDue("oracle"))
		}
		w.now = w.now.Add(10 * time.Second)
		require.NoError(t, c.s.PostponePoll(c.ctx, task.ID, "oracle"))
		w.now = w.now.Add(59 * time.Second)
		require.Empty(t, c.lateDue("oracle"))
		w.now = w.now.Add(time.Second)
		require.Equal(t, []core.TaskID{task.ID}, c.lateDue("oracle"))
	},
	"a peer that forgets its work, and one that never gave it an id, tell nothing late": func(t *testing.T, open Opener) {
		c, w := wound(t, open)
		task := c.peerWorks("oracle")
		_, err := c.s.GiveUpPeer(c.ctx, task.ID, "oracle", core.PeerTask{State: core.Working}, "waited out")
		require.NoError(t, err)
		late, _, err := c.s.KeepLateAnswer(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Failed, Gone: true, Text: "unknown"})
		require.NoError(t, err)
		require.Nil(t, late)
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
		other, err := c.s.CreateTask(c.ctx, o, to("another question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, other.ID, "oracle")
		require.NoError(t, err)
		work, err := c.s.GiveUpPeer(c.ctx, other.ID, "oracle", core.PeerTask{State: core.Submitted}, "not reached")
		require.NoError(t, err)
		require.Equal(t, core.Failed, work.State)
		w.now = w.now.Add(24 * time.Hour)
		require.Empty(t, c.lateDue("oracle"))
	},
}
