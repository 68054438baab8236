package service_test

import (
	"context"
	"fmt"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/service"
)

// health notes whether what it says was asked for by somebody who runs errand.
type health struct {
	admin  bool
	states []errand.ModelState
}

func (h *health) States(_ string, admin bool) []errand.ModelState {
	h.admin = admin
	return h.states
}

func (h *health) All(context.Context, errand.PersonID, string) ([]errand.ModelState, error) {
	return nil, nil
}

// TestModelStates proves that which provider does not answer, and what there is to
// do, is for those who may check the models.
func TestModelStates(t *testing.T) {
	for _, least := range []errand.Role{errand.MasterAdmin, errand.Partner} {
		seen, table := &health{}, rights.Default()
		if err := table.Set(rights.Capability, rights.ModelsCheck, least); err != nil {
			t.Fatal(err)
		}
		h := newHouse(t, func(deps *service.Deps) { deps.Health, deps.Rights = seen, table })
		for _, role := range errand.Roles() {
			if _, err := h.ModelStates(t.Context(), as(role)); err != nil {
				t.Fatal(err)
			}
			if want := role.Includes(least); seen.admin != want {
				t.Errorf("a %s reads what those read who check models: %v, want %v", role, seen.admin, want)
			}
		}
	}
}

// TestModelsOfAgents proves that whoever chats can tell which agents a model is of,
// and hears of none that are not there for them.
func TestModelsOfAgents(t *testing.T) {
	roster, err := agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "n", Delegates: []errand.AgentName{"sasha", "boss"}},
		{Name: "sasha", Instructions: "s", Model: "small"},
		{Name: "boss", Instructions: "b", Model: "small", Role: errand.MasterAdmin},
	}, agents.Rules{Models: []string{"default", "small"}})
	if err != nil {
		t.Fatal(err)
	}
	table := rights.Default()
	if err := table.Set(rights.Agent, "boss", errand.MasterAdmin); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) {
		deps.Roster, deps.Rights = roster, table
		deps.Health = &health{states: []errand.ModelState{{Model: "default"}, {Model: "small"}, {Model: "spare"}}}
	})
	for role, want := range map[errand.Role]string{
		errand.Member:      "[[nikki] [sasha] []]",
		errand.MasterAdmin: "[[nikki] [boss sasha] []]",
	} {
		list, err := h.ModelStates(t.Context(), as(role))
		if err != nil {
			t.Fatal(err)
		}
		var got [][]errand.AgentName
		for _, m := range list {
			got = append(got, m.Agents)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("a %s reads that models are of %v, want %s", role, got, want)
		}
	}
}
