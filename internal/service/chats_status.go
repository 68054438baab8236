package service

import (
	"cmp"
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

func (c *Chats) status(ctx context.Context, by actor.Actor, in api.ConversationKey) (api.ChatStatus, error) {
	if err := c.reads(by, in.Key); err != nil {
		return api.ChatStatus{}, err
	}
	v := api.ChatStatus{Busy: string(c.busy)}
	now, err := c.Store.Current(ctx, in.Key)
	switch {
	case errors.Is(err, store.ErrNotFound):
		if v.Agent, err = c.agents.firstIn(ctx, in.Key); err != nil {
			return v, err
		}
	case err != nil:
		return v, err
	default:
		v.Session, v.State = now.ID, now.State
		v.Agent, v.StickyUntil = now.Agent, now.StickyUntil
		v.Turns, v.Busy = now.Turns, cmp.Or(now.Busy, v.Busy)
		if now.Plan != nil && now.Plan.ShownIn(now.Turns) {
			v.Plan = now.Plan
		}
		spent, err := c.Store.Spent(ctx, store.SpentBy{Session: now.ID})
		if err != nil {
			return v, err
		}
		v.Spent = api.Amount(spent)
	}
	if agent, ok := c.agents.roster.Agent(v.Agent); ok {
		v.Model = cmp.Or(c.models[agent.Model], agent.Model)
	}
	today, err := c.Store.Spent(ctx, store.SpentBy{Person: by.Person})
	if err != nil {
		return v, err
	}
	v.Today = api.Amount(today)
	if v.OpenTasks, err = c.Store.Tasks(ctx, store.TaskFilter{Session: in.Key, Asked: true, States: core.OpenStates()}); err != nil {
		return v, err
	}
	asked, err := c.Store.Questions(ctx, store.QuestionFilter{Key: in.Key, Open: true})
	v.Waiting = make([]api.WaitingQuestion, len(asked))
	for i, q := range asked {
		v.Waiting[i] = api.WaitingQuestion{Question: q, Name: c.personName(ctx, q.Person)}
	}
	return v, err
}

func (c *Chats) history(ctx context.Context, by actor.Actor, in api.ChatHistoryInput) (out api.ChatHistory, err error) {
	if err := c.reads(by, in.Key); err != nil {
		return out, err
	}
	now, err := c.Store.Current(ctx, in.Key)
	if errors.Is(err, store.ErrNotFound) {
		return out, nil
	}
	if err != nil {
		return out, err
	}
	counts, err := c.Store.MessageCounts(ctx, core.SessionOwner(now.ID))
	if err != nil {
		return out, err
	}
	for _, n := range counts {
		out.Counts = append(out.Counts, api.AgentCount{Agent: n.Agent, Messages: n.Messages})
	}
	out.Last, err = c.Store.LastMessages(ctx, core.SessionOwner(now.ID), in.Agent, in.Limit)
	return out, err
}
