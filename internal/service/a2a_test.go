package service_test

import (
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/service"
	"errand/internal/service/servicetest"
)

// TestReceiveA2AGoesOn proves what the next message of a context is, once its last task has
// ended: with an agent of errand's own it goes on with that task, and a peer is sent another.
func TestReceiveA2AGoesOn(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) {
		var err error
		deps.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"oracle"}},
			{Name: "oracle", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
	})
	ctx, by := t.Context(), as(errand.Member)
	for _, agent := range []errand.AgentName{"nikki", "oracle"} {
		says := func(id string) errand.Task {
			t.Helper()
			return servicetest.Must(h.ReceiveA2A(ctx, by, service.A2AMessage{ID: id, Context: "of " + string(agent), Agent: agent, Text: id}))(t)
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
