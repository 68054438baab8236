package service_test

import (
	"context"
	"fmt"
	"testing"

	"errand/api"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
)

// health notes whether what it says was asked for by somebody who runs errand.
type health struct {
	admin  bool
	states []core.ModelState
}

func (h *health) States(_ string, admin bool) []core.ModelState {
	h.admin = admin
	return h.states
}

func (h *health) Try(context.Context, string, core.PersonID, string) ([]core.ModelState, error) {
	return nil, nil
}

// TestModelStates proves that which provider does not answer, and what there is to
// do, is for those who may check the models.
func TestModelStates(t *testing.T) {
	for _, least := range []core.Role{core.MasterAdmin, core.Partner} {
		seen, table := &health{}, api.Rights()
		if err := table.Set(rights.Capability, rights.ModelsCheck, least); err != nil {
			t.Fatal(err)
		}
		h := newHouse(t, func(deps *service.Deps) { deps.Health, deps.Rights = seen, table })
		for _, role := range core.Roles() {
			if _, err := h.about(as(role)); err != nil {
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
		{Name: "nikki", Instructions: "n", Delegates: []core.AgentName{"sasha", "boss"}},
		{Name: "sasha", Instructions: "s", Model: "small"},
		{Name: "boss", Instructions: "b", Model: "small", Role: core.MasterAdmin},
	}, agents.Rules{Models: []string{"default", "small"}})
	if err != nil {
		t.Fatal(err)
	}
	table := api.Rights()
	if err := table.Set(rights.Agent, "boss", core.MasterAdmin); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) {
		deps.Roster, deps.Rights = roster, table
		deps.Health = &health{states: []core.ModelState{{Model: "default"}, {Model: "small"}, {Model: "spare"}}}
	})
	for role, want := range map[core.Role]string{
		core.Member:      "[[nikki] [sasha] []]",
		core.MasterAdmin: "[[nikki] [boss sasha] []]",
	} {
		about, err := h.about(as(role))
		if err != nil {
			t.Fatal(err)
		}
		var got [][]core.AgentName
		for _, m := range about.Models {
			got = append(got, m.Agents)
		}
		if fmt.Sprint(got) != want {
			t.Errorf("a %s reads that models are of %v, want %s", role, got, want)
		}
	}
}
