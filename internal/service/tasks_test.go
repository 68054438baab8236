package service_test

import (
	"testing"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
)

// TestRemovedWithTasks proves that nothing goes on working for somebody who was
// removed, and that what is at work for others does.
func TestRemovedWithTasks(t *testing.T) {
	h := newHouse(t, nil)
	give := func(who errand.PersonID) errand.TaskID {
		route := errand.WebRoute("main")
		return must(h.store.CreateTask(t.Context(), errand.Origin{Route: route, Person: who, SessionKey: errand.NewSessionKey(route, who)},
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
	wants(t, err, service.KindForbidden, "priest is for the role partner")
	if task := must(give("member", "sasha"))(t); task.Origin.Role != errand.Member {
		t.Errorf("the task has the role %s", task.Origin.Role)
	}
	task := must(give("partner", "priest"))(t)
	must(h.CancelTask(ctx, as(errand.MasterAdmin), task.ID, ""))(t)
	must(h.RetryTask(ctx, as(errand.MasterAdmin), task.ID))(t)
	other := must(give("partner", "sasha"))(t)
	must(h.CancelTask(ctx, as(errand.MasterAdmin), other.ID, ""))(t)
	must(h.SetRole(ctx, as(errand.MasterAdmin), "partner", errand.Member))(t)
	if again := must(h.RetryTask(ctx, as(errand.MasterAdmin), other.ID))(t); again.Origin.Role != errand.Member {
		t.Errorf("the task that is done again has the role %s", again.Origin.Role)
	}
	_, err = h.RetryTask(ctx, as(errand.MasterAdmin), task.ID)
	wants(t, err, service.KindForbidden, "priest is for the role partner")
}
