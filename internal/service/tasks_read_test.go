package service_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestTaskTrees proves that a list of trees says of each task where it stands and whether it was
// looked for, that it cuts long texts, and that its next page has the trees behind it.
func TestTaskTrees(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(core.Member)
	long := strings.Repeat("é", 700)
	create := func(text string, parent core.TaskID) core.Task {
		origin := core.Origin{Person: by.Person, Role: core.Member, Depth: 1}
		return servicetest.Must(h.store.CreateTask(ctx, origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: text, Follows: parent}, ""))(t)
	}
	older := create(long, "")
	h.now = h.now.Add(time.Second)
	newer := create("find trains", "")
	list := func(in api.ListTasksInput) api.List[api.Task] {
		return servicetest.Must(ops.Do(ctx, h.Runner, api.ListTasks, by, in))(t)
	}
	page := list(api.ListTasksInput{Tree: true, Limit: 1})
	require.Len(t, page.Items, 1)
	top := page.Items[0]
	require.Equal(t, newer.ID, top.ID)
	require.Zero(t, *top.Level)
	require.True(t, *top.Matches)
	require.Equal(t, 1, top.Branch.Tasks)
	next := list(api.ListTasksInput{Tree: true, Limit: 1, After: api.After{After: page.Next}})
	require.Equal(t, older.ID, next.Items[0].ID)
	require.Len(t, []rune(next.Items[0].Text), 600)
	plain := list(api.ListTasksInput{Limit: 3})
	require.Len(t, []rune(plain.Items[1].Text), 700)
	require.Nil(t, plain.Items[1].Level)
	require.Empty(t, plain.Next)
	require.Len(t, list(api.ListTasksInput{Tree: true, TaskFilter: api.TaskFilter{Text: " trains "}}).Items, 1)
}

// TestTasksOfAChat proves that a list has the tasks of one chat of one person.
func TestTasksOfAChat(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(core.Partner)
	for _, chat := range []string{"main", "holidays"} {
		route := core.WebRoute(chat)
		origin := core.Origin{Route: route, Person: "member", Role: core.Member, SessionKey: core.NewSessionKey(route, "member"), Depth: 1}
		servicetest.Must(h.store.CreateTask(ctx, origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: chat}, ""))(t)
	}
	list := func(chat string, person core.PersonID) (api.List[api.Task], error) {
		return ops.Do(ctx, h.Runner, api.ListTasks, by, api.ListTasksInput{TaskFilter: api.TaskFilter{Chat: chat, Person: api.Person{Person: person}}})
	}
	found := servicetest.Must(list("holidays", "member"))(t)
	require.Len(t, found.Items, 1)
	require.Equal(t, "holidays", found.Items[0].Text)
	require.Empty(t, servicetest.Must(list("holidays", ""))(t).Items)
	_, err := list("../x", "member")
	servicetest.WantRefusal(t, err, service.KindInvalid, "a chat name must have")
	_, err = list("main", "*")
	servicetest.WantRefusal(t, err, service.KindInvalid, "name the person whose chat")
}

// TestLanguageOfTasks proves that a person reads in their language how a task ended, and a program
// as it is stored.
func TestLanguageOfTasks(t *testing.T) {
	h := newHouse(t, nil)
	by := as(core.Member)
	task := h.task(by.Person)
	servicetest.Must(h.CancelTask(t.Context(), by, task.ID, core.ReasonStopped.Text()))(t)
	for reads, want := range map[string]string{"es": "detenida por la persona", "": "stopped by the user"} {
		by.Reads = reads
		require.Equal(t, want, servicetest.Must(h.GetTask(t.Context(), by, string(task.ID), 0))(t).Error)
	}
}
