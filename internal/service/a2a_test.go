package service_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/servicetest"
)

// TestReceiveA2AGoesOn proves what the next message of a context is, once its last task has
// ended: with an agent of errand's own it goes on with that task, and a peer is sent another.
func TestReceiveA2AGoesOn(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) {
		var err error
		deps.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}},
			{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
	})
	ctx, by := t.Context(), as(core.Member)
	for _, agent := range []core.AgentName{"nikki", "oracle"} {
		says := func(id string) core.Task {
			t.Helper()
			return servicetest.Must(h.receiveA2A(ctx, by, api.A2AMessage{ID: id, Context: "of " + string(agent), Agent: agent, Text: id}))(t)
		}
		first := says(string(agent) + " 1")
		servicetest.Must(h.CancelTask(ctx, by, first.ID, ""))(t)
		next := says(string(agent) + " 2")
		if next.ID == first.ID || next.Text != string(agent)+" 2" || service.ContextOf(next) != "of "+string(agent) || (next.Continues == first.ID) != (agent == "nikki") {
			t.Errorf("after %s the second message to %s is %+v", first.ID, agent, next)
		}
		if again := says(string(agent) + " 2"); again.ID != next.ID {
			t.Errorf("said twice, it is %s and %s", next.ID, again.ID)
		}
	}
}

func (h *house) receiveA2A(ctx context.Context, by actor.Actor, m api.A2AMessage) (core.Task, error) {
	return ops.Do(ctx, h.Runner, api.ReceiveA2A, by, m)
}

// A leaver is a program that is gone when its task is told of something.
type leaver struct {
	dispatchtest.Client
	leave func()
}

func (l *leaver) SignalWorkflow(context.Context, string, string, string, any) error {
	l.leave()
	return nil
}

func (l *leaver) SignalWithStartWorkflow(context.Context, string, string, any, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	l.leave()
	return nil, nil
}

// TestReceiveA2AOnce proves that a message which was added to a task counts as that when it
// comes again, though whoever brought it was gone at once: it answers no question that came
// after it.
func TestReceiveA2AOnce(t *testing.T) {
	gone := &leaver{}
	h := newHouse(t, nil)
	h.Service.Dispatch = dispatchtest.New(t, gone, h.store)
	by := as(core.Member)
	task := h.task(by.Person)
	ctx, leave := context.WithCancel(t.Context())
	gone.leave = leave
	m := api.A2AMessage{ID: "m-1", Task: task.ID, Text: "by night"}
	h.receiveA2A(ctx, by, m)
	<-ctx.Done()
	before := servicetest.Must(h.store.A2AMessage(t.Context(), by.Person, "m-1"))(t)
	if before.Task != task.ID || before.Question != "" {
		t.Errorf("it is noted as %+v", before)
	}
	if again := servicetest.Must(h.receiveA2A(t.Context(), by, m))(t); again.ID != task.ID || again.Added != 1 {
		t.Errorf("said twice, it stands as %+v", again)
	}
}
