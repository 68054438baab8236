package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var taskTrees = map[string]func(*testing.T, Opener){
	"a tree is listed whole where one of its tasks is looked for": func(t *testing.T, open Opener) {
		now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { now = now.Add(time.Second); return now }})
		top := c.delegate(1, to("trains to 100% of Oslo", "sasha"))
		calls := c.commit(asks(c.sub(top, "sasha", 1, 1), to("check the_timetable", "finn"), to("and the fares", "priest"))).Calls
		finn, priest := calls[0].Task, calls[1].Task
		whole := []core.TaskID{top, finn, priest} // which of the two comes first, their ids say
		slices.Sort(whole[1:])
		other := c.delegate(2, to("planes", "finn"))
		_, _, err := c.s.FinishTask(c.ctx, other, core.Failed, "No such Plane")
		require.NoError(t, err)

		ids := func(list []core.Task) (ids []core.TaskID) {
			for _, p := range core.Tree(list) {
				ids = append(ids, p.ID)
			}
			return ids
		}
		found := func(f store.TaskFilter) (trees, matches []core.TaskID) {
			tasks, matches, err := c.s.TaskTrees(c.ctx, f)
			require.NoError(t, err)
			return ids(tasks), matches
		}
		trees, matches := found(store.TaskFilter{Person: "ada"})
		require.Equal(t, append([]core.TaskID{other}, whole...), trees)
		require.Len(t, matches, 4)
		for _, text := range []string{"CHECK the_time", string(finn)} {
			trees, matches = found(store.TaskFilter{Text: text})
			require.Equal(t, whole, trees, text)
			require.Equal(t, []core.TaskID{finn}, matches, text)
		}
		trees, matches = found(store.TaskFilter{Agent: "finn", States: core.OpenStates()})
		require.Equal(t, whole, trees)
		require.Equal(t, []core.TaskID{finn}, matches)
		trees, _ = found(store.TaskFilter{Text: "such plane"})
		require.Equal(t, []core.TaskID{other}, trees, "what became of it is looked through")
		trees, _ = found(store.TaskFilter{Text: "0% of"})
		require.Equal(t, whole, trees)
		for _, none := range []store.TaskFilter{{Text: "check%timetable"}, {Text: "the timetable"}, {Agent: "fin"}, {Agent: "%"}, {Person: "eve"}} {
			trees, _ = found(none)
			require.Empty(t, trees, "%+v", none)
		}
		trees, matches = found(store.TaskFilter{Before: c.task(other).Created, Limit: 1})
		require.Equal(t, whole, trees, "the latest before, with its tree")
		require.Len(t, matches, 1)
	},
	"who was at work on a task when is known by agent": func(t *testing.T, open Opener) {
		now := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		top := c.delegate(1, to("trains", "sasha"))
		now = now.Add(time.Minute)
		c.commit(asks(c.sub(top, "sasha", 1, 1), to("check", "finn")))
		stints, err := c.s.Stints(c.ctx, []core.Task{c.task(top)})
		require.NoError(t, err)
		require.Equal(t, []store.Stint{{Task: top, Agent: "sasha", Begun: now}}, stints)
		begun := now
		now = now.Add(time.Minute)
		_, err = c.s.CloseTask(c.ctx, top, "enough", true)
		require.NoError(t, err)
		stints, err = c.s.Stints(c.ctx, []core.Task{c.task(top)})
		require.NoError(t, err)
		require.Equal(t, []store.Stint{{Task: top, Agent: "sasha", Begun: begun, Ended: now}}, stints)
		stints, err = c.s.Stints(c.ctx, nil)
		require.NoError(t, err)
		require.Empty(t, stints)
	},
}
