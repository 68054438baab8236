package service_test

import (
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestDelegateProcedure proves that a procedure says who is asked, for what and under which
// policy, that nothing is given besides, and that one with an agent above somebody's role is not there.
func TestDelegateProcedure(t *testing.T) {
	table := api.Rights()
	if err := table.Set(rights.Agent, "priest", core.Partner); err != nil {
		t.Fatal(err)
	}
	release := core.Procedure{Name: "release", Agents: []core.AgentName{"sasha"}, Task: "Good? {text}", Policy: core.All, Deadline: time.Hour,
		Then: &core.Branch{Agents: []core.AgentName{"priest"}, Task: "bless {text}"}}
	look := core.Procedure{Name: "look", Agents: []core.AgentName{"sasha"}, Task: "look"}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights, deps.Procedures = table, []core.Procedure{release, look} })
	give := func(by actor.Actor, d api.CreateTaskInput) (core.Task, error) {
		return h.CreateTask(t.Context(), by, d)
	}
	task := servicetest.Must(give(as(core.Partner), api.CreateTaskInput{Body: api.NewTask{Procedure: "release", Text: "1.4"}}))(t)
	if task.Text != "Good? 1.4" || task.Policy != core.All || task.Then == nil || task.Then.Task != "bless 1.4" || task.Deadline.Sub(task.Created) != time.Hour {
		t.Errorf("the task is %+v", task)
	}
	if task := servicetest.Must(give(as(core.Member), api.CreateTaskInput{Body: api.NewTask{Procedure: "look"}}))(t); task.Text != "look" || task.Policy != "" {
		t.Errorf("the task is %+v", task)
	}
	_, err := give(as(core.Member), api.CreateTaskInput{Body: api.NewTask{Procedure: "release", Text: "1.4"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, `There is no procedure "release". There are: look.`)
	_, err = give(as(core.Partner), api.CreateTaskInput{Body: api.NewTask{Procedure: "release"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, "The procedure release needs words")
	_, err = give(as(core.Partner), api.CreateTaskInput{Body: api.NewTask{Procedure: "relase", Text: "1.4"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, `There is no procedure "relase". There are: release, look.`)
	_, err = give(as(core.Partner), api.CreateTaskInput{Body: api.NewTask{Procedure: "look", Agents: []core.AgentName{"sasha"}}})
	servicetest.WantRefusal(t, err, service.KindInvalid, "A procedure already says")
}
