package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

// verdict is an answer that ends an agent's work with a verdict.
func verdict(b *store.StepInput, v errand.Verdict, reasoning string) store.CommitStep {
	in := reply(b, reasoning)
	in.Verdict, in.Confidence = v, 0.75
	return in
}

var decisions = map[string]func(*testing.T, Opener){
	"verdicts are counted once more when the task ends, and what follows is made with that": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		n := to("fly?", "sasha", "finn")
		n.Policy, n.Then = errand.All, &errand.Branch{Agents: []errand.AgentName{"vera"}, Task: "book it"}
		id := c.delegate(1, n)
		out := c.commit(verdict(c.sub(id, "sasha", 1, 1), errand.Yes, "cheap"))
		require.Equal(t, errand.Yes, out.Verdict)
		require.Empty(t, out.Ended)
		reported, err := c.s.Reported(c.ctx, c.task(id))
		require.NoError(t, err)
		require.False(t, reported)
		c.commit(verdict(c.sub(id, "finn", 1, 1), errand.Yes, "safe"))
		reported, err = c.s.Reported(c.ctx, c.task(id))
		require.NoError(t, err)
		require.True(t, reported)

		for range 2 {
			task, _, err := c.s.FinishTask(c.ctx, id, errand.Completed, "")
			require.NoError(t, err)
			require.Equal(t, errand.AnswerYes, task.Decision)
			require.NotEmpty(t, task.FollowedBy)
		}
		task := c.task(id)
		require.Equal(t, []errand.GivenVerdict{
			{Agent: "sasha", Verdict: errand.Yes, Confidence: 0.75, Reasoning: "cheap", Standing: errand.StandingCounted},
			{Agent: "finn", Verdict: errand.Yes, Confidence: 0.75, Reasoning: "safe", Standing: errand.StandingCounted},
		}, task.Verdicts)
		require.Equal(t, n.Then, task.Then)
		next := c.task(task.FollowedBy)
		require.Equal(t, []errand.AgentName{"vera"}, next.Agents)
		require.Equal(t, task.Origin, next.Origin)
		require.Contains(t, next.Text, "book it")
		require.Contains(t, next.Text, "cheap")
		list, err := c.s.Tasks(c.ctx, store.TaskFilter{})
		require.NoError(t, err)
		require.Len(t, list, 2)
		following, err := c.s.Following(c.ctx, []errand.TaskID{id})
		require.NoError(t, err)
		require.Equal(t, []errand.TaskID{next.ID}, following)
	},
	"an agent is asked once more for its verdict, and nothing follows on what is canceled": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		n := to("fly?", "sasha", "finn")
		n.Policy, n.Else = errand.Majority, &errand.Branch{Agents: []errand.AgentName{"vera"}, Task: "stay"}
		id := c.delegate(1, n)
		b := c.sub(id, "sasha", 1, 1)
		require.False(t, b.VerdictAsked)
		asked := reply(b, "I think so")
		asked.VerdictAsked, asked.AskAgain = true, "your verdict?"
		out := c.commit(asked)
		require.False(t, out.Final)
		b = c.sub(id, "sasha", 1, 2)
		require.True(t, b.VerdictAsked)
		require.Equal(t, "your verdict?", b.Transcript[len(b.Transcript)-1].Text)
		require.Equal(t, errand.No, c.commit(verdict(b, errand.No, "dear")).Verdict)
		_, err := c.s.CloseTask(c.ctx, id, "enough", true)
		require.NoError(t, err)
		task := c.task(id)
		require.Equal(t, errand.Canceled, task.State)
		require.Empty(t, task.Decision)
		require.Empty(t, task.FollowedBy)
	},
	"a task is overdue from its deadline to its end": func(t *testing.T, open Opener) {
		now := time.Now().Truncate(time.Millisecond)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		n := to("fly?", "sasha", "finn")
		n.Policy, n.Deadline = errand.Any, time.Hour
		id := c.delegate(1, n)
		overdue := func(want ...store.OverdueTask) {
			t.Helper()
			require.Equal(t, want, listed(t, c.s.Overdue(c.ctx)))
		}
		deadline := c.task(id).Deadline
		c.commit(verdict(c.sub(id, "sasha", 1, 1), errand.No, "dear"))
		overdue()
		now = now.Add(time.Hour)
		overdue(store.OverdueTask{ID: id, Deadline: deadline})
		require.NoError(t, c.s.NoteDeadlineSignalled(c.ctx, id))
		overdue(store.OverdueTask{ID: id, Deadline: deadline, Signalled: deadline})
		require.NoError(t, c.s.ForgetTaskSignalled(c.ctx, id))
		overdue(store.OverdueTask{ID: id, Deadline: deadline})
		now = now.Add(time.Millisecond)
		c.commit(verdict(c.sub(id, "finn", 1, 1), errand.Yes, "safe"))
		task, _, err := c.s.FinishTask(c.ctx, id, errand.Completed, "")
		require.NoError(t, err)
		require.Equal(t, errand.AnswerNoQuorum, task.Decision)
		require.Equal(t, errand.StandingLate, task.Verdicts[1].Standing)
		overdue()
	},
}
