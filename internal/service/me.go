package service

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

func (p *People) me(ctx context.Context, by actor.Actor, in api.GetMeInput) (api.Me, error) {
	return p.meFor(ctx, by, in.Login)
}

func (p *People) meFor(ctx context.Context, by actor.Actor, login string) (api.Me, error) {
	phrases := p.readersTexts(by)
	out := api.Me{ID: by.Person, Language: by.Language, Login: login, May: []string{}, Name: by.Name, Role: by.Role,
		RoleName: p.RoleName(by.Role, phrases), TimeZone: by.TimeZone, Agents: []core.AgentName{}}
	for _, rule := range p.Rights.Rules() {
		if rule.Kind == rights.Route && p.Allows(by, rights.Route, rule.Name) {
			out.May = append(out.May, rule.Name)
		}
	}
	if !by.IsPerson() && p.roleDecides(by.Role) {
		out.ApprovesNothing = phrases.Localize("approval.login")
	}
	if p.may(by, rights.AgentsRead) == nil {
		out.Agents = append(out.Agents, p.agents.available(by)...)
	}
	var err error
	if p.may(by, rights.QuestionsRead) == nil {
		if out.Waiting, err = p.questions.waiting(ctx, by); err != nil {
			return out, err
		}
	}
	if p.may(by, rights.PairingsDecide) == nil {
		waiting, err := p.Store.Pairings(ctx, true)
		if err != nil {
			return out, err
		}
		out.Requests = len(waiting)
	}
	if p.may(by, rights.UsageRead) == nil {
		out.Today, err = p.today(ctx, by.Person)
	}
	return out, err
}

func (p *People) today(ctx context.Context, person core.PersonID) (api.DayBudget, error) {
	spent, err := p.Store.Spent(ctx, store.SpentBy{Person: person})
	limit := p.Store.Limits().PersonDay
	return api.DayBudget{Calls: spent.Calls, Tokens: spent.Tokens, Cost: spent.Cost, MaxCalls: limit.Calls, MaxTokens: limit.Tokens, MaxCost: limit.Cost}, err
}

func (p *People) changeMe(ctx context.Context, by actor.Actor, in api.ChangeMeInput) (api.ChangedMe, error) {
	out := api.ChangedMe{ID: by.Person}
	if in.Body.PersonChange == (api.PersonChange{}) {
		return out, badRequest("empty", "name what to change: name, language or time_zone")
	}
	to, err := checkedChange(in.Body.PersonChange)
	if err != nil {
		return out, err
	}
	_, err = p.Store.ChangePerson(ctx, by.Person, to)
	return out, Known(err)
}
