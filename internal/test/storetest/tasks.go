package storetest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var tasks = map[string]func(*testing.T, Opener){
	"a delegation is a task with its origin": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("ask Sasha")
		r := c.commit(asks(c.begin(1, 1), to("compare night trains to Oslo", "sasha")))
		require.Len(t, r.Calls, 1)
		require.False(t, r.Final)
		task := c.task(r.Calls[0].Task)
		require.Equal(t, core.Submitted, task.State)
		require.Equal(t, c.route, task.Origin.Route)
		require.Equal(t, "m1", task.Origin.ReplyTo)
		require.Equal(t, 1, task.Origin.Depth)
		require.Equal(t, []core.TaskID{task.ID}, c.rehydrate().Open)
		_, err := c.s.BeginStep(c.ctx, subStep(task.ID, "sasha", 1, 1))
		require.NoError(t, err)
		require.Equal(t, core.Working, c.task(task.ID).State)
		require.Len(t, c.begin(1, 2).OpenTasks, 1)
	},
	"the same task twice in a turn is one": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("ask Sasha")
		r := c.commit(asks(c.begin(1, 1), to("Night trains", "sasha"), to("night  trains ", "sasha"), to("night trains", "finn")))
		require.Equal(t, r.Calls[0].Task, r.Calls[1].Task)
		require.NotEqual(t, r.Calls[0].Task, r.Calls[2].Task)
		r2 := c.commit(asks(c.begin(1, 2), to("night trains", "sasha")))
		require.Equal(t, r.Calls[0].Task, r2.Calls[0].Task)
		b := c.begin(1, 3)
		requireWellFormed(t, b.Transcript)
		require.Len(t, b.OpenTasks, 2)
	},
	"an id that is taken is drawn again": func(t *testing.T, open Opener) {
		ids := []core.TaskID{"t-aaaaaaaa", "t-aaaaaaaa", "t-aaaaaaaa", "t-bbbbbbbb"}
		c := newChat(t, open, store.Options{NewTaskID: func() core.TaskID {
			id := ids[0]
			ids = ids[1:]
			return id
		}})
		c.write("ask both")
		r := c.commit(asks(c.begin(1, 1), to("one", "sasha"), to("two", "finn")))
		require.Equal(t, core.TaskID("t-aaaaaaaa"), r.Calls[0].Task)
		require.Equal(t, core.TaskID("t-bbbbbbbb"), r.Calls[1].Task)
	},
	"a task is found by any prefix that fits one": func(t *testing.T, open Opener) {
		ids := []core.TaskID{"t-abcd2345", "t-abxy2345", "t-k2345678"}
		c := newChat(t, open, store.Options{NewTaskID: func() core.TaskID {
			id := ids[0]
			ids = ids[1:]
			return id
		}})
		c.write("ask")
		c.commit(asks(c.begin(1, 1), to("one", "sasha"), to("two", "sasha"), to("three", "sasha")))
		for prefix, want := range map[string]core.TaskID{
			"t-abcd2345": "t-abcd2345", "ABX": "t-abxy2345", " T-k": "t-k2345678", "abc": "t-abcd2345",
		} {
			task, err := c.s.FindTask(c.ctx, prefix, store.TaskFilter{Person: "ada"})
			require.NoError(t, err, prefix)
			require.Equal(t, want, task.ID)
		}
		_, err := c.s.FindTask(c.ctx, "ab", store.TaskFilter{})
		require.ErrorIs(t, err, store.ErrAmbiguous)
		require.ErrorContains(t, err, "t-abcd2345 (one), t-abxy2345 (two)")
		for _, prefix := range []string{"", "t-", "zz", "%", "a_", "abcd2345x"} {
			_, err := c.s.FindTask(c.ctx, prefix, store.TaskFilter{})
			require.ErrorIs(t, err, store.ErrNotFound, prefix)
		}
		_, err = c.s.FindTask(c.ctx, "k", store.TaskFilter{Person: "bob"})
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"the first terminal state is final": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		c.work(id, "two trains")
		task, first, err := c.s.FinishTask(c.ctx, id, core.Failed, "timed out")
		require.NoError(t, err)
		require.False(t, first)
		require.Equal(t, core.Completed, task.State)
		require.Equal(t, "two trains", task.Result)
		require.Equal(t, [4]float64{1, 100, 60, 0.5}, [4]float64{float64(task.ModelCalls), float64(task.Tokens), float64(task.Cached), task.Cost})
		killed, err := c.s.CloseTask(c.ctx, id, "no longer needed", false)
		require.NoError(t, err)
		require.Empty(t, killed)
	},
	"a report ends a task that lacks nothing else": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		alone := c.delegate(1, to("trains", "sasha"))
		b := c.sub(alone, "sasha", 1, 1)
		require.Equal(t, core.Completed, c.commit(reply(b, "two trains")).Ended)
		task := c.task(alone)
		require.Equal(t, core.Completed, task.State)
		require.Equal(t, "two trains", task.Result)
		require.Equal(t, core.Completed, c.commit(reply(b, "three trains")).Ended, "another attempt is told the same")
		require.Equal(t, core.Completed, c.sub(alone, "sasha", 1, 1).Done.Ended)
		require.Equal(t, task.Finished, c.task(alone).Finished)
		require.Equal(t, "two trains", c.task(alone).Result)
		b = c.begin(2, 1)
		require.Equal(t, store.CauseResults, b.Cause)
		c.commit(reply(b, "Sasha found two trains."))

		several := c.delegate(3, to("vote", "sasha", "finn"))
		require.Empty(t, c.commit(reply(c.sub(several, "sasha", 1, 1), "yes")).Ended)
		require.Empty(t, c.commit(reply(c.sub(several, "finn", 1, 1), "no")).Ended)
		require.Equal(t, core.Working, c.task(several).State)

		top := c.delegate(4, to("hotels", "sasha"))
		below := c.commit(asks(c.sub(top, "sasha", 1, 1), to("check", "finn"))).Calls[0].Task
		require.Empty(t, c.commit(reply(c.sub(top, "sasha", 1, 2), "Finn is checking.")).Ended, "it has to join that")
		require.Equal(t, core.Completed, c.commit(reply(c.sub(below, "finn", 1, 1), "checked")).Ended)
		require.Equal(t, core.Working, c.task(top).State)
		require.Equal(t, core.Completed, c.commit(reply(c.sub(top, "sasha", 2, 1), "Finn checked it.")).Ended)
		require.Equal(t, "Finn checked it.", c.task(top).Result)
	},
	"a report of a task that was killed ends nothing": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		b := c.sub(id, "sasha", 1, 1)
		_, err := c.s.CloseTask(c.ctx, id, "enough", false)
		require.NoError(t, err)
		_, err = c.s.CommitStep(c.ctx, reply(b, "two trains"))
		require.ErrorIs(t, err, store.ErrClosed)
		require.Equal(t, core.Canceled, c.task(id).State)
	},
	"missing parts of a result are labelled": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("vote", "sasha", "finn", "priest"))
		c.commit(reply(c.sub(id, "sasha", 1, 1), "yes"))
		no := reply(c.sub(id, "finn", 1, 1), "no model")
		no.Failed = true
		c.commit(no)
		task, _, err := c.s.FinishTask(c.ctx, id, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, core.Completed, task.State)
		require.Equal(t, "## Sasha\nyes\n\n## Finn\n(failed) no model\n\n## Priest\n(no report)", task.Result)
	},
	"a task whose only report is a failure has failed": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		no := reply(c.sub(id, "sasha", 1, 1), "no model")
		no.Failed = true
		require.Equal(t, core.Failed, c.commit(no).Ended)
		task := c.task(id)
		require.Equal(t, core.Failed, task.State)
		require.Equal(t, "no model", task.Error)
		require.Empty(t, task.Result)
	},
	"a reason of errand's own is kept as a code too, and a person's words are not": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for i, own := range append(core.Reasons(), "") {
			text := own.Text()
			if own == "" {
				text = "no hotels"
			}
			failed, canceled := c.delegate(2*i+1, to(text, "sasha")), c.delegate(2*i+2, to("not "+text, "sasha"))
			task, _, err := c.s.FinishTask(c.ctx, failed, core.Failed, text)
			require.NoError(t, err)
			require.Equal(t, own, task.Reason)
			_, err = c.s.CloseTask(c.ctx, canceled, text, false)
			require.NoError(t, err)
			for _, id := range []core.TaskID{failed, canceled} {
				require.Equal(t, text, c.task(id).Error)
				require.Equal(t, own, c.task(id).Reason)
			}
		}
		none := c.delegate(99, to("nothing", "sasha"))
		task, _, err := c.s.FinishTask(c.ctx, none, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, core.ReasonNoReport, task.Reason)
		for i, own := range []core.Reason{core.ReasonUnknownPolicy, core.ReasonUnknownKind} {
			task, _, err := c.s.FinishTask(c.ctx, c.delegate(101+i, to(string(own), "sasha")), core.Failed, own.Text()+` "majority"`)
			require.NoError(t, err)
			require.Equal(t, own, task.Reason)
		}
		below := c.delegate(103, to("below", "sasha"))
		_, err = c.s.CloseTask(c.ctx, below, core.ReasonAbove.Text()+": no hotels", true)
		require.NoError(t, err)
		require.Equal(t, core.ReasonAbove, c.task(below).Reason)
	},
	"a kill is for the whole tree and final": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		top := c.delegate(1, to("trains", "sasha"))
		below := c.commit(asks(c.sub(top, "sasha", 1, 1), to("check", "finn"))).Calls[0].Task
		running := c.sub(below, "finn", 1, 1)
		nested := c.task(below)
		require.Equal(t, 2, nested.Origin.Depth)
		require.Equal(t, []string{"nikki", "sasha"}, nested.Origin.Chain)
		require.Equal(t, c.task(top).Origin.Root, nested.Origin.Root)
		require.Equal(t, top, nested.Parent)

		killed, err := c.s.CloseTask(c.ctx, top, "no longer needed", true)
		require.NoError(t, err)
		require.Len(t, killed, 2)
		require.Equal(t, top, killed[0].ID)
		require.Equal(t, core.WayTurn, c.task(top).Way)
		_, err = c.s.CommitStep(c.ctx, asks(running, to("more", "priest")))
		require.ErrorIs(t, err, store.ErrClosed)
		for _, in := range []store.BeginStep{subStep(top, "sasha", 1, 2), subStep(top, "sasha", 2, 1), subStep(below, "finn", 1, 2), subStep(below, "finn", 2, 1)} {
			_, err = c.s.BeginStep(c.ctx, in)
			require.ErrorIs(t, err, store.ErrClosed)
		}
		tree, err := c.s.TaskTree(c.ctx, top)
		require.NoError(t, err)
		require.Len(t, tree, 2)
		require.Empty(t, listed(t, c.s.OpenTasks(c.ctx)))
	},
	"no task outlives a kill that an outcome races with": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		for round := range 20 {
			c := chatOn(t, s, core.WebRoute(fmt.Sprint("race", round)))
			top := c.delegate(1, to("trains", "sasha"))
			b := c.sub(top, "sasha", 1, 1)
			start := make(chan struct{})
			var wg sync.WaitGroup
			for i := range 4 {
				wg.Go(func() {
					<-start
					_, err := s.CommitStep(c.ctx, asks(b, to(fmt.Sprint("part ", i), "finn")))
					if err != nil && !errors.Is(err, store.ErrClosed) {
						t.Errorf("commit: %v", err)
					}
				})
			}
			wg.Go(func() {
				<-start
				if _, err := s.CloseTask(c.ctx, top, "stop", true); err != nil {
					t.Errorf("kill: %v", err)
				}
			})
			close(start)
			wg.Wait()
			tree, err := s.TaskTree(c.ctx, top)
			require.NoError(t, err)
			for _, task := range tree {
				require.Equal(t, core.Canceled, task.State, "task %s at depth %d", task.ID, task.Origin.Depth)
			}
		}
	},
	"an origin without a chat has that of its session": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for _, origin := range []core.Origin{
			{Person: "ada", Session: c.session, SessionKey: c.key},
			{Person: "ada", Session: c.session},
			{Person: "ada", SessionKey: c.key},
			{Person: "ada", SessionKey: c.key, Route: core.Route{Channel: "web", Account: "local"}},
		} {
			task, err := c.s.CreateTask(c.ctx, origin, to("trains", "sasha"), "")
			require.NoError(t, err)
			require.Equal(t, c.route, task.Origin.Route)
			stored, err := c.s.Task(c.ctx, task.ID)
			require.NoError(t, err)
			require.Equal(t, c.route, stored.Origin.Route)
		}
		task, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada"}, to("trains", "sasha"), "")
		require.NoError(t, err)
		require.Empty(t, task.Origin.Chat)
	},
	"a person's task is the root of its own tree": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		task, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada"}, to("trains", "sasha"), "")
		require.NoError(t, err)
		require.Equal(t, "task:"+string(task.ID), task.Origin.Root)
		require.Equal(t, core.WayNone, c.work(task.ID, "two").Way)
		again, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada"}, to("trains", "sasha"), task.ID)
		require.NoError(t, err)
		require.Equal(t, task.ID, again.RetryOf)
		list, err := c.s.Tasks(c.ctx, store.TaskFilter{Person: "ada", States: []core.TaskState{core.Submitted}})
		require.NoError(t, err)
		require.Len(t, list, 1)
	},
	"the open tasks of a person or a session are listed whole, callers first": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		give := func(who core.PersonID, key core.SessionKey, depth int) core.TaskID {
			task, err := c.s.CreateTask(c.ctx, core.Origin{Person: who, SessionKey: key, Depth: depth}, to("trains", "sasha"), "")
			require.NoError(t, err)
			return task.ID
		}
		var below, above, hers []core.TaskID
		for range 60 { // both together are more than a list has
			below = append(below, give("ada", c.key, 2))
			above = append(above, give("ada", c.key, 1))
		}
		elsewhere := give("ada", "", 1)
		hers = append(hers, give("bob", c.key, 1))
		_, err := c.s.CloseTask(c.ctx, below[0], "enough", true)
		require.NoError(t, err)
		list, err := c.s.OpenTaskIDs(c.ctx, store.TaskFilter{Session: c.key, Person: "ada"})
		require.NoError(t, err)
		require.ElementsMatch(t, above, list[:60])
		require.ElementsMatch(t, below[1:], list[60:])
		list, err = c.s.OpenTaskIDs(c.ctx, store.TaskFilter{Session: c.key, Limit: 1})
		require.NoError(t, err)
		require.ElementsMatch(t, slices.Concat(above, below[1:], hers), list)
		list, err = c.s.OpenTaskIDs(c.ctx, store.TaskFilter{Person: "ada"})
		require.NoError(t, err)
		require.ElementsMatch(t, slices.Concat(above, below[1:], []core.TaskID{elsewhere}), list)
	},
}
