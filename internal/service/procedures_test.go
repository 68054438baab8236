package service_test

import (
	"testing"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/service/servicetest"
)

// TestDelegateProcedure proves that a procedure says who is asked, for what and under which
// policy, that nothing is given besides, and that one with an agent above somebody's role is not there.
func TestDelegateProcedure(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	release := errand.Procedure{Name: "release", Agents: []errand.AgentName{"sasha"}, Task: "Good? {text}", Policy: errand.All, Deadline: time.Hour,
		Then: &errand.Branch{Agents: []errand.AgentName{"priest"}, Task: "bless {text}"}}
	look := errand.Procedure{Name: "look", Agents: []errand.AgentName{"sasha"}, Task: "look"}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights, deps.Procedures = table, []errand.Procedure{release, look} })
	give := func(by service.Actor, d service.Delegation) (errand.Task, error) {
		return h.Delegate(t.Context(), by, d)
	}
	task := servicetest.Must(give(as(errand.Partner), service.Delegation{Procedure: "release", Text: "1.4"}))(t)
	if task.Text != "Good? 1.4" || task.Policy != errand.All || task.Then == nil || task.Then.Task != "bless 1.4" || task.Deadline.Sub(task.Created) != time.Hour {
		t.Errorf("the task is %+v", task)
	}
	if task := servicetest.Must(give(as(errand.Member), service.Delegation{Procedure: "look"}))(t); task.Text != "look" || task.Policy != "" {
		t.Errorf("the task is %+v", task)
	}
	_, err := give(as(errand.Member), service.Delegation{Procedure: "release", Text: "1.4"})
	servicetest.WantRefusal(t, err, service.KindInvalid, `There is no procedure "release". There are: look.`)
	_, err = give(as(errand.Partner), service.Delegation{Procedure: "release"})
	servicetest.WantRefusal(t, err, service.KindInvalid, "The procedure release needs words")
	_, err = give(as(errand.Partner), service.Delegation{Procedure: "relase", Text: "1.4"})
	servicetest.WantRefusal(t, err, service.KindInvalid, `There is no procedure "relase". There are: release, look.`)
	_, err = give(as(errand.Partner), service.Delegation{Procedure: "look", Agents: []errand.AgentName{"sasha"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, "A procedure says itself")
}
