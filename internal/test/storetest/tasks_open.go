package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var openTasks = map[string]func(*testing.T, Opener){
	"a person has no more open tasks than the limit": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{OpenTasks: 3}})
		create := func(person core.PersonID) (core.Task, error) {
			return c.s.CreateTask(c.ctx, core.Origin{Person: person, Role: core.Member}, to("trains", "sasha"), "")
		}
		first, err := create("ada")
		require.NoError(t, err)
		c.write("please")
		calls := c.commit(asks(c.begin(1, 1), to("planes", "sasha"), to("buses", "sasha"), to("ships", "sasha"), to("planes", "sasha"))).Calls
		require.Equal(t, store.ByDelegation, calls[1].By)
		require.Equal(t, store.PlannedCall{Index: 3, By: store.ByNobody}, calls[2], "one more than the limit")
		require.Equal(t, calls[0].Task, calls[3].Task, "the same task again is no new one")
		b := c.begin(1, 2)
		require.Equal(t, "error: Too many tasks are running.", b.Transcript[4].Text)
		_, err = create("ada")
		require.ErrorIs(t, err, store.ErrTooManyTasks)
		_, err = create("bob")
		require.NoError(t, err, "of another person")
		c.work(first.ID, "found")
		_, err = c.s.ContinueTask(c.ctx, first.ID, core.Origin{Person: "ada"}, store.TaskMessage{Key: "k1", Person: "ada", Text: "and back"})
		require.NoError(t, err, "one is over")
		_, err = c.s.ContinueTask(c.ctx, first.ID, core.Origin{Person: "ada"}, store.TaskMessage{Key: "k2", Person: "ada", Text: "and then"})
		require.ErrorIs(t, err, store.ErrTooManyTasks)
	},
	"no task is created when a budget is used up": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{PersonDay: store.Amount{Calls: 1}}})
		c.write("please")
		call := c.commit(asks(c.begin(1, 1), to("trains", "sasha"))).Calls[0]
		require.Equal(t, store.ByNobody, call.By)
		_, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada", Role: core.Member}, to("trains", "sasha"), "")
		require.ErrorAs(t, err, new(*store.BudgetError))
		list, err := c.s.Tasks(c.ctx, store.TaskFilter{})
		require.NoError(t, err)
		require.Empty(t, list)
	},
}
