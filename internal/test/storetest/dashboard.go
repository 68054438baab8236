package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var dashboard = map[string]func(*testing.T, Opener){
	"tasks are counted by state": func(t *testing.T, open Opener) {
		now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
		first := c.delegate(1, to("trains", "sasha"))
		c.work(first, "two trains")
		second := c.delegate(2, to("planes", "sasha"))
		_, err := c.s.CloseTask(c.ctx, c.delegate(3, to("ships", "finn")), "enough", true)
		require.NoError(t, err)
		counted := func(f store.TaskFilter) map[core.TaskState]int {
			counts, err := c.s.TaskCounts(c.ctx, f)
			require.NoError(t, err)
			require.Len(t, counts, len(core.TaskStates()))
			there := map[core.TaskState]int{}
			for state, n := range counts {
				if n > 0 {
					there[state] = n
				}
			}
			return there
		}
		all := map[core.TaskState]int{core.Submitted: 1, core.Completed: 1, core.Canceled: 1}
		require.Equal(t, all, counted(store.TaskFilter{}))
		require.Equal(t, all, counted(store.TaskFilter{Person: "ada", States: []core.TaskState{core.Failed}, Limit: 1}), "what is counted is by state")
		require.Equal(t, map[core.TaskState]int{core.Canceled: 1}, counted(store.TaskFilter{Agent: "finn"}))
		require.Equal(t, map[core.TaskState]int{core.Submitted: 1, core.Canceled: 1}, counted(store.TaskFilter{Begun: c.task(second).Created}))
		require.Equal(t, map[core.TaskState]int{core.Completed: 1}, counted(store.TaskFilter{Before: c.task(second).Created}))
		require.Empty(t, counted(store.TaskFilter{Person: "eve"}))
	},
	"what the agents of a task did is known by step": func(t *testing.T, open Opener) {
		now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		top := c.delegate(1, to("trains", "sasha"))
		c.delegate(2, to("not this", "finn"))
		begun := now
		b := c.sub(top, "sasha", 1, 1)
		now = now.Add(3 * time.Second)
		in := calls(b, "web_search", "web_fetch")
		in.Calls[0].Arguments = `{"query":"trains"}`
		c.commit(in)
		answered := now
		now = now.Add(2 * time.Second)
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: b.Key, Index: 2}, "error: no page\nthere"))
		read := now

		steps, err := c.s.TaskSteps(c.ctx, []core.Task{c.task(top)})
		require.NoError(t, err)
		first := store.TaskStep{Task: top, Agent: "sasha", Turn: 1, Step: 1, Begun: begun, Ended: answered, Model: "m", Attempts: 1, Tokens: 100, Cached: 60, Cost: 0.5,
			Calls: []store.StepCall{{Index: 1, Name: "web_search", About: "trains", Shown: true}, {Index: 2, Name: "web_fetch", Shown: true, Ended: read, Failure: "no page"}}}
		require.Equal(t, []store.TaskStep{first}, steps, "one call is at work")

		now = now.Add(5 * time.Second)
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: b.Key, Index: 1}, "Results:\n1. Blue train\n   https://blue.example\n2. Red train\n   https://red.example"))
		first.Calls[0].Ended, first.Calls[0].Results = now, 2
		next := c.sub(top, "sasha", 1, 2)
		begun = now
		now = now.Add(time.Second)
		c.commit(reply(next, "two trains"))
		steps, err = c.s.TaskSteps(c.ctx, []core.Task{c.task(top)})
		require.NoError(t, err)
		second := store.TaskStep{Task: top, Agent: "sasha", Turn: 1, Step: 2, Begun: begun, Ended: now, Model: "m", Attempts: 1, Tokens: 100, Cached: 60, Cost: 0.5}
		require.Equal(t, []store.TaskStep{first, second}, steps)
		steps, err = c.s.TaskSteps(c.ctx, nil)
		require.NoError(t, err)
		require.Empty(t, steps)
	},
	"the deliveries of a task are found": func(t *testing.T, open Opener) {
		s, _ := opened(t, open)
		c := chatOn(t, s, core.Route{Channel: "discord", Account: "main", Chat: "1"})
		told, other := c.delegate(1, to("trains", "sasha")), c.delegate(2, to("hotels", "sasha"))
		c.work(told, "two trains")
		r := c.commit(reply(c.begin(3, 1), "Sasha found two trains."))
		require.NoError(t, s.MarkSent(c.ctx, r.Outbox[0], "", []string{"m17"}))
		list, err := s.TaskDeliveries(c.ctx, c.task(told))
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, core.Sent, list[0].State)
		require.Equal(t, []string{"m17"}, list[0].Receipts)
		_, err = s.Answer(c.ctx, core.Notification{Key: "q", Route: c.route, Task: other, Text: "which?"})
		require.NoError(t, err)
		list, err = s.TaskDeliveries(c.ctx, c.task(other))
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "which?", list[0].Text)
	},
	"what the title of a chat has cost is no message's": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("which trains go?")
		c.commit(reply(c.begin(1, 1), "two do"))
		list, err := c.s.UntitledChats(c.ctx, 1)
		require.NoError(t, err)
		require.Len(t, list, 1)
		for range 2 {
			require.NoError(t, c.s.BeginTitle(c.ctx, list[0], store.Amount{Calls: 1}))
			require.NoError(t, c.s.EndTitle(c.ctx, list[0], "", []core.Usage{{Model: "small", InputTokens: 10, OutputTokens: 1}}))
		}
		groups, err := c.s.UsageGroups(c.ctx, "ada", time.Time{}, core.UsageByTree, 0)
		require.NoError(t, err)
		require.Len(t, groups, 2)
		require.Equal(t, "turn:"+string(c.session)+":1", groups[0].Key)
		require.Equal(t, core.UsageGroup{Key: core.TitleTree + string(c.session), Calls: 2, InputTokens: 20, OutputTokens: 2}, groups[1])
		groups, err = c.s.UsageGroups(c.ctx, "bob", time.Time{}, core.UsageByTree, 0)
		require.NoError(t, err)
		require.Empty(t, groups)
	},
	"usage is summed up by day, agent, person, model and tree": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		c.delegate(1, to("trains", "sasha"))
		day1 := clock.now.UTC().Format(time.DateOnly)
		clock.tick(11 * day)
		day2 := clock.now.UTC().Format(time.DateOnly)
		task, err := s.CreateTask(c.ctx, core.Origin{Person: "ada", Role: core.Member}, to("planes", "sasha"), "")
		require.NoError(t, err)
		answer := reply(c.sub(task.ID, "sasha", 1, 1), "one plane")
		answer.Usage[0].Model = "n"
		c.commit(answer)

		sums := func(by core.UsageBy) map[string]int {
			groups, err := s.UsageGroups(c.ctx, "ada", time.Time{}, by, 0)
			require.NoError(t, err)
			calls := map[string]int{}
			for i, g := range groups {
				calls[g.Key] = g.Calls
				require.Equal(t, 90*g.Calls, g.InputTokens)
				require.InDelta(t, 0.5*float64(g.Calls), g.Cost, 1e-9)
				if by != core.UsageByDay && i > 0 {
					require.LessOrEqual(t, g.Cost, groups[i-1].Cost, "the dearest is first")
				}
			}
			return calls
		}
		want := map[core.UsageBy]map[string]int{
			core.UsageByDay: {day1: 2, day2: 1}, core.UsageByAgent: {"nikki": 2, "sasha": 1}, core.UsageByPerson: {"ada": 3}, core.UsageByModel: {"m": 2, "n": 1},
		}
		check := func(when string) {
			for by, calls := range want {
				require.Equal(t, calls, sums(by), "by %s, %s", by, when)
			}
		}
		check("in detail")
		tree := "task:" + string(task.ID)
		require.Equal(t, map[string]int{"turn:" + string(c.session) + ":1": 2, tree: 1}, sums(core.UsageByTree))
		require.Equal(t, map[string]int{"usage": 2}, sweepAll(t, s, store.SweepUsage, policy))
		check("folded")
		require.Equal(t, map[string]int{tree: 1}, sums(core.UsageByTree), "what is folded has no tree")

		groups, err := s.UsageGroups(c.ctx, "", clock.now, core.UsageByAgent, 1)
		require.NoError(t, err)
		require.Equal(t, []core.UsageGroup{{Key: "sasha", Calls: 1, InputTokens: 90, CachedTokens: 60, WrittenTokens: 20, OutputTokens: 10, Cost: 0.5}}, groups)
		groups, err = s.UsageGroups(c.ctx, "eve", time.Time{}, core.UsageByDay, 0)
		require.NoError(t, err)
		require.Empty(t, groups)
		_, err = s.UsageGroups(c.ctx, "", time.Time{}, "created; DROP TABLE usage", 0)
		require.Error(t, err)
	},
}
