package service

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/rights"
	"errand/internal/store"
)

// ModelHealth knows whether the configured models answer. What it says is in a
// language of people; admin is set for those who may check the models, and read which
// provider it is and what there is to do.
type ModelHealth interface {
	// States are as the models did when they were last called.
	States(language string, admin bool) []errand.ModelState
	// All makes a call to each of them, for which person pays.
	All(ctx context.Context, person errand.PersonID, language string) ([]errand.ModelState, error)
}

// ModelStates says how the models did when they were last called.
func (s *Service) ModelStates(ctx context.Context, by Actor) ([]errand.ModelState, error) {
	if err := s.may(by, rights.InstallationRead); err != nil {
		return nil, err
	}
	if s.Health == nil {
		return []errand.ModelState{}, nil
	}
	list := s.Health.States(by.Language, s.may(by, rights.ModelsCheck) == nil)
	for i, m := range list {
		list[i].Agents = s.agentsWith(by, m.Model)
	}
	return list, nil
}

func (s *Service) agentsWith(by Actor, model string) []errand.AgentName {
	names := []errand.AgentName{}
	for _, n := range s.Roster.Names() {
		if a, _ := s.Roster.Agent(n); a.Model == model && s.Rights.May(by.Role, rights.Agent, string(n)) {
			names = append(names, n)
		}
	}
	return names
}

// CheckModels makes a call to every model and says how they did.
func (s *Service) CheckModels(ctx context.Context, by Actor) ([]errand.ModelState, error) {
	if err := s.may(by, rights.ModelsCheck); err != nil {
		return nil, err
	}
	if s.Health == nil {
		return []errand.ModelState{}, nil
	}
	list, err := s.Health.All(ctx, by.Person, by.Language)
	if errors.Is(err, store.ErrPaused) {
		return nil, conflict("paused", "refusal.paused")
	}
	return list, err
}

// remoteCheckTime is how long one remote agent has to answer a check.
const remoteCheckTime = 45 * time.Second

// CheckRemoteAgents looks whether each remote agent can be sent tasks: it reads the cards of peers,
// and starts the programs of coding agents without work.
func (s *Service) CheckRemoteAgents(ctx context.Context, by Actor) ([]errand.RemoteAgentState, error) {
	if err := s.may(by, rights.ModelsCheck); err != nil {
		return nil, err
	}
	checks := maps.Clone(s.Coding)
	if checks == nil {
		checks = map[errand.AgentName]func(context.Context) error{}
	}
	for name, peer := range s.Peers {
		if c, ok := peer.(interface{ Check(context.Context) error }); ok {
			checks[name] = c.Check
		}
	}
	list := []errand.RemoteAgentState{}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		list = append(list, errand.RemoteAgentState{Agent: name})
	}
	var running sync.WaitGroup
	for i := range list {
		running.Go(func() {
			ctx, done := context.WithTimeout(ctx, remoteCheckTime)
			defer done()
			err := checks[list[i].Agent](ctx)
			if list[i].OK = err == nil; err != nil {
				list[i].Says = errand.Cut(content.OneLine(err.Error()), 500)
			}
		})
	}
	running.Wait()
	return list, nil
}
