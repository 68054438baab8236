package service_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand"
	"errand/internal/dispatch/dispatchtest"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// TestRemovedWithTasks proves that nothing goes on working for somebody who was
// removed, and that what is at work for others does.
func TestRemovedWithTasks(t *testing.T) {
	h := newHouse(t, nil)
	give := func(who errand.PersonID) errand.TaskID {
		route := errand.WebRoute("main")
		return servicetest.Must(h.store.CreateTask(t.Context(), errand.Origin{Route: route, Person: who, SessionKey: errand.NewSessionKey(route, who)},
			store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "find something out"}, ""))(t).ID
	}
	for range 120 { // more than a list has
		give("guest")
	}
	others := give("member")
	if err := h.RemovePerson(t.Context(), as(errand.MasterAdmin), "guest"); err != nil {
		t.Fatal(err)
	}
	left, err := h.store.Tasks(t.Context(), store.TaskFilter{States: errand.OpenStates()})
	if err != nil || len(left) != 1 || left[0].ID != others {
		t.Errorf("at work are %d tasks (%v), want that of somebody else only", len(left), err)
	}
}

// TestStopAllFromAbove proves that a stop of everything ends callers before what they
// called: none is told of a sub-agent's end in time to go on.
func TestStopAllFromAbove(t *testing.T) {
	h := newHouse(t, nil)
	who := as(errand.Member)
	h.session(who.Person)
	var want []string
	for depth := range 8 {
		task := servicetest.Must(h.store.CreateTask(t.Context(), errand.Origin{Person: who.Person, SessionKey: chatOf(who.Person), Depth: depth + 1},
			store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "find something out"}, ""))(t)
		want = append(want, string(task.ID))
	}
	servicetest.Must(h.Stop(t.Context(), who, chatOf(who.Person), true))(t)
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
	}}, nil)
	h.Dispatch = dispatchtest.New(t, signals, h.store)
	who := as(errand.Member)
	h.session(who.Person)
	give := func() {
		servicetest.Must(h.store.CreateTask(t.Context(), errand.Origin{Person: who.Person, SessionKey: chatOf(who.Person)},
			store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "find something out"}, ""))(t)
	}
	signals.begin = give
	for range 250 {
		give()
	}
	servicetest.Must(h.Stop(t.Context(), who, chatOf(who.Person), true))(t)
	if left := servicetest.Must(h.store.OpenTaskIDs(t.Context(), store.TaskFilter{Person: who.Person}))(t); len(left) > 0 || len(signals.Canceled) != 251 {
		t.Errorf("%d tasks are ended and %d at work, want 251 and none", len(signals.Canceled), len(left))
	}
	// One for all, one for what began meanwhile, one that finds none, and the test's own.
	if n := lists.Load(); n != 4 {
		t.Errorf("the tasks were listed %d times, want 4", n)
	}
}

// TestRightsOfTasks proves that nobody has an agent sent on a task whom they may
// not talk with, nor again once they may not any more, and that a task has the
// rights of whoever it is for.
func TestRightsOfTasks(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx := t.Context()
	give := func(who errand.PersonID, agent errand.AgentName) (errand.Task, error) {
		return h.Delegate(ctx, service.Actor{Person: who, Role: errand.MasterAdmin}, service.Delegation{Agents: []errand.AgentName{agent}, Text: "pray"})
	}
	_, err := give("member", "priest")
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	if task := servicetest.Must(give("member", "sasha"))(t); task.Origin.Role != errand.Member {
		t.Errorf("the task has the role %s", task.Origin.Role)
	}
	task := servicetest.Must(give("partner", "priest"))(t)
	servicetest.Must(h.CancelTask(ctx, as(errand.MasterAdmin), task.ID, ""))(t)
	servicetest.Must(h.RetryTask(ctx, as(errand.MasterAdmin), task.ID))(t)
	other := servicetest.Must(give("partner", "sasha"))(t)
	servicetest.Must(h.CancelTask(ctx, as(errand.MasterAdmin), other.ID, ""))(t)
	servicetest.Must(h.SetRole(ctx, as(errand.MasterAdmin), "partner", errand.Member))(t)
	if again := servicetest.Must(h.RetryTask(ctx, as(errand.MasterAdmin), other.ID))(t); again.Origin.Role != errand.Member {
		t.Errorf("the task that is done again has the role %s", again.Origin.Role)
	}
	_, err = h.RetryTask(ctx, as(errand.MasterAdmin), task.ID)
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
}

// TestRightsOfBranches proves that a decision is asked for again, and gone on with, only
// where whoever is to follow on it may still be sent.
func TestRightsOfBranches(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx, by := t.Context(), as(errand.Partner)
	ended := func(d service.Decides) errand.TaskID {
		t.Helper()
		d.Expect = service.ExpectDecision
		task := servicetest.Must(h.Delegate(ctx, by, service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "pray?", Decides: d}))(t)
		servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
		return task.ID
	}
	pray := &errand.Branch{Agents: []errand.AgentName{"priest"}, Task: "pray"}
	ids := []errand.TaskID{ended(service.Decides{Then: pray}), ended(service.Decides{Else: pray})}
	again := servicetest.Must(h.RetryTask(ctx, by, ids[0]))(t)
	if again.Then == nil || again.Policy != errand.Majority {
		t.Errorf("it is asked for again as %+v", again)
	}
	servicetest.Must(h.SetRole(ctx, as(errand.MasterAdmin), "partner", errand.Member))(t)
	by.Role = errand.Member
	for _, id := range ids {
		_, err := h.RetryTask(ctx, by, id)
		servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
		_, err = h.ContinueTask(ctx, by, id, service.Steering{Text: "and now?"})
		servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	}
	gone := store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "x", Policy: errand.All, Then: &errand.Branch{Agents: []errand.AgentName{"gone"}, Task: "x"}}
	task := servicetest.Must(h.store.CreateTask(ctx, errand.Origin{Person: by.Person, Role: errand.Member}, gone, ""))(t)
	servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
	_, err := h.RetryTask(ctx, by, task.ID)
	servicetest.WantRefusal(t, err, service.KindInvalid, "there is no agent")
}

// TestAgentsAboveARole proves that whoever names an agent that is not there reads which
// there are for them, and not those that they may not talk with.
func TestAgentsAboveARole(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	for role, named := range map[errand.Role]bool{errand.Member: false, errand.Partner: true} {
		by := as(role)
		_, unknown := h.Delegate(t.Context(), by, service.Delegation{Agents: []errand.AgentName{"nobody"}, Text: "pray"})
		_, none := h.Delegate(t.Context(), by, service.Delegation{Text: "pray"})
		_, other := h.SwitchAgent(t.Context(), by, chatOf(by.Person), "nobody")
		for _, err := range []error{unknown, none, other} {
			if err == nil || strings.Contains(err.Error(), "priest") != named || !strings.Contains(err.Error(), "sasha") {
				t.Errorf("a %s reads %v; the priest is named: %t", role, err, named)
			}
		}
	}
}

// TestAwaitTask proves that who waits for a task hears of its end at once, though it is of
// no conversation, and is told how far it is when the time is over; that waiting costs no
// reads; and that whoever may not read it any more is told nothing.
func TestAwaitTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var reads atomic.Int64
		h := newHouseOn(t, store.Options{SQLite: storetest.File(t), Trace: func(string) { reads.Add(1) }}, nil)
		member := as(errand.Member)
		allow := func(int) error { return nil }
		task := h.task(member.Person)
		before, began := reads.Load(), time.Now()
		got, err := h.AwaitTask(t.Context(), member, string(task.ID), "", 9*time.Second, allow)
		if took := time.Since(began); err != nil || got.State != errand.Submitted || took != 9*time.Second {
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
		got, err = h.AwaitTask(t.Context(), member, string(task.ID)[:4], "", time.Hour, allow)
		if took := time.Since(began); err != nil || got.State != errand.Canceled || took != 5*time.Second {
			t.Errorf("%v, %v after %v", got.State, err, took)
		}
		if err := <-canceled; err != nil { // it goes on after the end is heard of
			t.Error(err)
		}
		if got, err = h.AwaitTask(t.Context(), member, string(task.ID), "", time.Hour, allow); err != nil || got.State != errand.Canceled {
			t.Errorf("of one that has ended: %v, %v", got.State, err)
		}
		for _, ends := range []bool{true, false} {
			revoked, task := errors.New("revoked"), h.task(member.Person)
			if ends {
				time.AfterFunc(5*time.Second, func() {
					_, err := h.CancelTask(t.Context(), member, task.ID, "enough")
					canceled <- err
				})
			}
			got, err := h.AwaitTask(t.Context(), member, string(task.ID), "", 9*time.Second, func(int) error { return revoked })
			if !errors.Is(err, revoked) || got.ID != "" {
				t.Errorf("who may not read it any more is told %+v, %v", got, err)
			}
			if ends {
				if err := <-canceled; err != nil {
					t.Error(err)
				}
			}
		}
	})
}
