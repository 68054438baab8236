package service

import (
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// ModelHealth knows whether the configured models answer.
type ModelHealth interface {
	// States returns the results of the last calls. If admin is set, they name the provider and say
	// what to do.
	States(language string, admin bool) []core.ModelState
	// All calls each model, at the person's expense.
	All(ctx context.Context, person core.PersonID, language string) ([]core.ModelState, error)
}

// Models has the operations on models.
type Models struct {
	*Env
	roster *agents.Roster
	health ModelHealth // nil: unknown
}

func (m *Models) bind(r *ops.Runner) { ops.Bind(r, api.CheckModels, m.check) }

func (m *Models) states(by actor.Actor) []core.ModelState {
	if m.health == nil {
		return []core.ModelState{}
	}
	list := m.health.States(by.Language, m.Allows(by, rights.Capability, rights.ModelsCheck))
	for i, state := range list {
		list[i].Agents = m.agentsWith(by, state.Model)
	}
	return list
}

func (m *Models) agentsWith(by actor.Actor, model string) []core.AgentName {
	names := []core.AgentName{}
	for _, n := range m.roster.Names() {
		if a, _ := m.roster.Agent(n); a.Model == model && m.Rights.May(by.Role, rights.Agent, string(n)) {
			names = append(names, n)
		}
	}
	return names
}

func (m *Models) check(ctx context.Context, by actor.Actor, _ api.None) ([]core.ModelState, error) {
	if m.health == nil {
		return []core.ModelState{}, nil
	}
	list, err := m.health.All(ctx, by.Person, by.Language)
	if errors.Is(err, store.ErrPaused) {
		return nil, conflict("paused", "refusal.paused")
	}
	return list, err
}
