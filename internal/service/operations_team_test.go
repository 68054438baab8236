package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
)

func usesOfTeams() map[string]use {
	request := func(person core.PersonID) api.TeamRequest {
		return api.TeamRequest{ConversationKey: api.ConversationKey{Key: chatOf(person)}, Route: core.WebRoute("main"), MessageID: "m-1", Text: "find trains"}
	}
	team := func(ctx context.Context, h *house, by actor.Actor, person core.PersonID) error {
		in := api.AskTeamInput{TeamRequest: request(person), Targets: []api.TeamTarget{{Agent: "sasha", Last: 5}}}
		return do(ctx, h, api.AskTeam, by, in)
	}
	procedure := func(ctx context.Context, h *house, by actor.Actor, person core.PersonID) error {
		h.Procedures = []core.Procedure{{Name: "look", Agents: []core.AgentName{"sasha"}, Task: "look"}}
		return do(ctx, h, api.AskProcedure, by, api.AskProcedureInput{TeamRequest: request(person), Name: "look"})
	}
	return map[string]use{
		"listProcedures": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListProcedures, by, api.None{})
		}},
		"askTeam": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { return team(ctx, h, by, by.Person) },
			others: func(ctx context.Context, h *house, by actor.Actor) error { return team(ctx, h, by, other(by)) },
		},
		"askProcedure": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { return procedure(ctx, h, by, by.Person) },
			others: func(ctx context.Context, h *house, by actor.Actor) error { return procedure(ctx, h, by, other(by)) },
		},
	}
}
