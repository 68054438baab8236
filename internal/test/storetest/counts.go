package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var counts = map[string]func(*testing.T, Opener){
	"what there is to do is counted": func(t *testing.T, open Opener) {
		now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
		var ended []core.TaskState
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }, OnTaskEnd: func(s core.TaskState) { ended = append(ended, s) }})
		got, err := c.s.Counts(c.ctx)
		require.NoError(t, err)
		require.Equal(t, store.Counts{
			OpenTasks: map[core.TaskState]int{core.Submitted: 0, core.Working: 0, core.InputRequired: 0},
			Outbox:    map[core.OutboxState]int{core.Pending: 0, core.Sending: 0, core.Unknown: 0, core.Blocked: 0},
		}, got)

		c.write("the first")
		now = now.Add(3 * time.Second)
		c.write("the second")
		var tasks []core.TaskID
		for range 3 {
			task, err := c.s.CreateTask(c.ctx, core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner},
				store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "x"}, "")
			require.NoError(t, err)
			tasks = append(tasks, task.ID)
		}
		on := core.Route{Channel: "telegram", Account: "main", Chat: "1"}
		for _, text := range []string{"one", "two", "three"} {
			_, err := c.s.Answer(c.ctx, core.Notification{Key: text, Route: on, Text: text})
			require.NoError(t, err)
			now = now.Add(time.Second)
		}
		first, err := c.s.NextOutbox(c.ctx, on)
		require.NoError(t, err)
		_, err = c.s.MarkSending(c.ctx, first.ID, time.Minute)
		require.NoError(t, err)
		_, _, err = c.s.FinishTask(c.ctx, tasks[0], core.Failed, "no reason")
		require.NoError(t, err)
		_, _, err = c.s.FinishTask(c.ctx, tasks[0], core.Completed, "")
		require.NoError(t, err)
		_, err = c.s.CloseTask(c.ctx, tasks[1], "enough", true)
		require.NoError(t, err)

		got, err = c.s.Counts(c.ctx)
		require.NoError(t, err)
		require.Equal(t, store.Counts{
			OpenTasks: map[core.TaskState]int{core.Submitted: 1, core.Working: 0, core.InputRequired: 0},
			Inbox:     2, InboxOldest: 6 * time.Second,
			Outbox:       map[core.OutboxState]int{core.Pending: 2, core.Sending: 1, core.Unknown: 0, core.Blocked: 0},
			OutboxOldest: 3 * time.Second,
		}, got)
		require.Equal(t, []core.TaskState{core.Failed, core.Canceled}, ended)

		c.begin(1, 1) // takes what was written
		require.NoError(t, c.s.MarkBlocked(c.ctx, first.ID, "the chat is gone", false))
		got, err = c.s.Counts(c.ctx)
		require.NoError(t, err)
		require.Zero(t, got.Inbox)
		require.Zero(t, got.InboxOldest)
		require.Equal(t, map[core.OutboxState]int{core.Pending: 2, core.Sending: 0, core.Unknown: 0, core.Blocked: 1}, got.Outbox)
		require.Equal(t, 2*time.Second, got.OutboxOldest)
	},
}
