package service

import (
	"context"
	"errors"
	"slices"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// ModelHealth knows whether the configured models answer.
type ModelHealth interface {
	// States returns the results of the last calls. If admin is set, they name the provider and say
	// what to do.
	States(language string, admin bool) []core.ModelState
	// Try tries a model, or all if model is empty, for the person, and returns the states of all.
	Try(ctx context.Context, model string, person core.PersonID, language string) ([]core.ModelState, error)
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

func (m *Models) check(ctx context.Context, by actor.Actor, in api.CheckModelsInput) ([]core.ModelState, error) {
	if m.health == nil {
		return []core.ModelState{}, nil
	}
	known := func(s core.ModelState) bool { return s.Model == in.Model }
	if in.Model != "" && !slices.ContainsFunc(m.health.States("", false), known) {
		return nil, Refuse(KindNotFound, "not_found", "refusal.not_found", "thing", texts.Key("thing.model"), "name", in.Model)
	}
	list, err := m.health.Try(ctx, in.Model, by.Person, by.Language)
	if errors.Is(err, store.ErrPaused) {
		return nil, conflict("paused", "refusal.paused")
	}
	return list, err
}
