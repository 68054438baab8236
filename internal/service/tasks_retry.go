package service

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/texts"
)

func (t *Tasks) retry(ctx context.Context, by actor.Actor, in api.TaskRef) (api.Task, error) {
	task, err := t.find(ctx, by, in)
	if err == nil {
		task, err = t.repeat(ctx, by, task)
	}
	return t.taskView(by, task), err
}

func (t *Tasks) repeat(ctx context.Context, by actor.Actor, old core.Task) (core.Task, error) {
	if old.Origin.Person != by.Person {
		if err := t.changesOthers(by); err != nil {
			return core.Task{}, err
		}
	}
	if err := hasFinished(old); err != nil {
		return old, err
	}
	// Use the lower of the person's roles then and now.
	by, err := t.ActorAs(ctx, old.Origin.Person, old.Origin.Role)
	if err != nil {
		return old, err
	}
	if err := t.mayRepeat(ctx, by, old); err != nil {
		return old, err
	}
	origin := old.Origin
	origin.Role = by.Role
	origin.Root, origin.Depth, origin.Chain = "", 1, nil
	again := store.NewTask{Agents: old.Agents, Text: old.Text, Briefing: old.Briefing, Policy: old.Policy, Then: old.Then, Else: old.Else, Follows: old.Follows}
	if !old.Deadline.IsZero() {
		again.Deadline = old.Deadline.Sub(old.Created)
	}
	return t.create(ctx, origin, again, old.ID)
}

func hasFinished(t core.Task) error {
	if t.State.Terminal() {
		return nil
	}
	return conflict("not_finished", "refusal.not_finished", "task", t.ID, "state", texts.Key("state."+string(t.State)))
}

func (t *Tasks) mayRepeat(ctx context.Context, by actor.Actor, task core.Task) error {
	agents := task.Agents
	for _, next := range []*core.Branch{task.Then, task.Else} {
		if next != nil {
			agents = append(agents[:len(agents):len(agents)], next.Agents...)
		}
	}
	_, err := t.delegatesHere(ctx, by, agents)
	return err
}
