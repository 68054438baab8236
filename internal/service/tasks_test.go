package service_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
)

// TestRemovedWithTasks proves that nothing goes on working for somebody who was
// removed, and that what is at work for others does.
func TestRemovedWithTasks(t *testing.T) {
	h := newHouse(t, nil)
	give := func(who core.PersonID) core.TaskID {
		route := core.WebRoute("main")
		return servicetest.Must(h.store.CreateTask(t.Context(), core.Origin{Route: route, Person: who, SessionKey: core.NewSessionKey(route, who)},
			store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find something out"}, ""))(t).ID
	}
	for range 120 { // more than a list has
		give("guest")
	}
	others := give("member")
	if err := h.RemovePerson(t.Context(), as(core.MasterAdmin), "guest"); err != nil {
		t.Fatal(err)
	}
	left, err := h.store.Tasks(t.Context(), store.TaskFilter{States: core.OpenStates()})
	if err != nil || len(left) != 1 || left[0].ID != others {
		t.Errorf("at work are %d tasks (%v), want that of somebody else only", len(left), err)
	}
}

// TestStopAllFromAbove proves that a stop of everything ends callers before their sub-agents: no
// caller learns of a sub-agent's end in time to go on.
func TestStopAllFromAbove(t *testing.T) {
	h := newHouse(t, nil)
	who := as(core.Member)
	h.session(who.Person)
	var want []string
	for depth := range 8 {
		task := servicetest.Must(h.store.CreateTask(t.Context(), core.Origin{Person: who.Person, SessionKey: chatOf(who.Person), Depth: depth + 1},
			store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find something out"}, ""))(t)
		want = append(want, string(task.ID))
	}
	servicetest.Must(servicetest.StopChat(t.Context(), h.Service, who, chatOf(who.Person), true))(t)
	if got := h.signals.Canceled; !slices.Equal(got, want) {
		t.Errorf("ended in the order %q, want %q", got, want)
	}
}

// A beginsOne is a Temporal at which one more task begins while the first is ended.
type beginsOne struct {
	*dispatchtest.Client
	once  sync.Once
	begin func()
}

func (c *beginsOne) CancelWorkflow(ctx context.Context, id, run string) error {
	c.once.Do(c.begin)
	return c.Client.CancelWorkflow(ctx, id, run)
}

// TestStopAllReadsOnce proves that a stop of everything lists the tasks once, however many
// there are, and then only what began meanwhile, which it ends too.
func TestStopAllReadsOnce(t *testing.T) {
	var lists atomic.Int64
	signals := &beginsOne{Client: &dispatchtest.Client{}}
	h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Trace: func(query string) {
		if strings.Contains(query, "FROM tasks") && strings.Contains(query, "ORDER BY depth") {
			lists.Add(1)
		}
	}}, func(d *service.Deps) { d.Dispatch = dispatchtest.New(t, signals, d.Store) })
	who := as(core.Member)
	h.session(who.Person)
	give := func() {
		servicetest.Must(h.store.CreateTask(t.Context(), core.Origin{Person: who.Person, SessionKey: chatOf(who.Person)},
			store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find something out"}, ""))(t)
	}
	signals.begin = give
	for range 250 {
		give()
	}
	servicetest.Must(servicetest.StopChat(t.Context(), h.Service, who, chatOf(who.Person), true))(t)
	if left := servicetest.Must(h.store.OpenTaskIDs(t.Context(), store.TaskFilter{Person: who.Person}))(t); len(left) > 0 || len(signals.Canceled) != 251 {
		t.Errorf("%d tasks are ended and %d at work, want 251 and none", len(signals.Canceled), len(left))
	}
	// One for all, one for what began meanwhile, one that finds none, and the test's own.
	if n := lists.Load(); n != 4 {
		t.Errorf("the tasks were listed %d times, want 4", n)
	}
}

// TestRightsOfTasks proves that people can delegate and retry a task only with agents that they may
// talk with at that time, and that a task has the rights of the person it is for.
func TestRightsOfTasks(t *testing.T) {
	table := api.Rights()
	if err := table.Set(rights.Agent, "priest", core.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx := t.Context()
	give := func(who core.PersonID, agent core.AgentName) (core.Task, error) {
		return h.CreateTask(ctx, actor.Actor{Person: who, Role: core.MasterAdmin}, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{agent}, Text: "pray"}})
	}
	_, err := give("member", "priest")
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	if task := servicetest.Must(give("member", "sasha"))(t); task.Origin.Role != core.Member {
		t.Errorf("the task has the role %s", task.Origin.Role)
	}
	task := servicetest.Must(give("partner", "priest"))(t)
	servicetest.Must(h.CancelTask(ctx, as(core.MasterAdmin), task.ID, ""))(t)
	servicetest.Must(h.RetryTask(ctx, as(core.MasterAdmin), task.ID))(t)
	other := servicetest.Must(give("partner", "sasha"))(t)
	servicetest.Must(h.CancelTask(ctx, as(core.MasterAdmin), other.ID, ""))(t)
	servicetest.Must(h.SetRole(ctx, as(core.MasterAdmin), "partner", core.Member))(t)
	if again := servicetest.Must(h.RetryTask(ctx, as(core.MasterAdmin), other.ID))(t); again.Origin.Role != core.Member {
		t.Errorf("the task that is done again has the role %s", again.Origin.Role)
	}
	_, err = h.RetryTask(ctx, as(core.MasterAdmin), task.ID)
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
}

// TestRightsOfBranches proves that a decision can be retried or continued only if the person may
// still use the agents of its branches.
func TestRightsOfBranches(t *testing.T) {
	table := api.Rights()
	if err := table.Set(rights.Agent, "priest", core.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx, by := t.Context(), as(core.Partner)
	ended := func(d api.NewTask) core.TaskID {
		t.Helper()
		d.Agents, d.Text, d.Expect = []core.AgentName{"sasha"}, "pray?", api.ExpectDecision
		task := servicetest.Must(h.CreateTask(ctx, by, api.CreateTaskInput{Body: d}))(t)
		servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
		return task.ID
	}
	pray := &core.Branch{Agents: []core.AgentName{"priest"}, Task: "pray"}
	ids := []core.TaskID{ended(api.NewTask{Then: pray}), ended(api.NewTask{Else: pray})}
	again := servicetest.Must(h.RetryTask(ctx, by, ids[0]))(t)
	if again.Then == nil || again.Policy != core.Majority {
		t.Errorf("it is asked for again as %+v", again)
	}
	servicetest.Must(h.SetRole(ctx, as(core.MasterAdmin), "partner", core.Member))(t)
	by.Role = core.Member
	for _, id := range ids {
		_, err := h.RetryTask(ctx, by, id)
		servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
		_, err = h.ContinueTask(ctx, by, id, "and now?", api.ContinueTaskInput{})
		servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	}
	gone := store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "x", Policy: core.All, Then: &core.Branch{Agents: []core.AgentName{"gone"}, Task: "x"}}
	task := servicetest.Must(h.store.CreateTask(ctx, core.Origin{Person: by.Person, Role: core.Member}, gone, ""))(t)
	servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
	_, err := h.RetryTask(ctx, by, task.ID)
	servicetest.WantRefusal(t, err, service.KindInvalid, "there is no agent")
}

// TestAgentsAboveARole proves that the refusal of an unknown agent lists the agents that the person
// may talk with, and no others.
func TestAgentsAboveARole(t *testing.T) {
	table := api.Rights()
	if err := table.Set(rights.Agent, "priest", core.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	for role, named := range map[core.Role]bool{core.Member: false, core.Partner: true} {
		by := as(role)
		_, unknown := h.CreateTask(t.Context(), by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"nobody"}, Text: "pray"}})
		_, none := h.CreateTask(t.Context(), by, api.CreateTaskInput{Body: api.NewTask{Text: "pray"}})
		_, other := servicetest.SwitchAgent(t.Context(), h.Service, by, chatOf(by.Person), "nobody")
		for _, err := range []error{unknown, none, other} {
			if err == nil || strings.Contains(err.Error(), "priest") != named || !strings.Contains(err.Error(), "sasha") {
				t.Errorf("a %s reads %v; the priest is named: %t", role, err, named)
			}
		}
	}
}

// TestAwaitTask proves that a wait for a task returns at once when the task ends, even if the task
// has no conversation; that it returns the task's state when the time is over; and that waiting
// costs no reads.
func TestAwaitTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Trace: func(string) { reads.Add(1) }}, nil)
		member := as(core.Member)
		task := h.task(member.Person)
		before, began := reads.Load(), time.Now()
		got, err := h.GetTask(t.Context(), member, string(task.ID), 9*time.Second)
		if took := time.Since(began); err != nil || got.State != core.Submitted || took != 9*time.Second {
			t.Errorf("%v, %v after %v", got.State, err, took)
		}
		if n := reads.Load() - before; n != 2 {
			t.Errorf("%d reads, want those of the beginning", n)
		}
		canceled := make(chan error, 1)
		time.AfterFunc(5*time.Second, func() {
			_, err := h.CancelTask(t.Context(), member, task.ID, "enough")
			canceled <- err
		})
		began = time.Now()
		got, err = h.GetTask(t.Context(), member, string(task.ID)[:4], time.Hour)
		if took := time.Since(began); err != nil || got.State != core.Canceled || took != 5*time.Second {
			t.Errorf("%v, %v after %v", got.State, err, took)
		}
		if err := <-canceled; err != nil { // it goes on after the end is heard of
			t.Error(err)
		}
		if got, err = h.GetTask(t.Context(), member, string(task.ID), time.Hour); err != nil || got.State != core.Canceled {
			t.Errorf("of one that has ended: %v, %v", got.State, err)
		}
	})
}
