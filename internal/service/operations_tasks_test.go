package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/service"
)

func usesOfTasks() map[string]use {
	give := func(ctx context.Context, h *house, by actor.Actor, c *api.Context) error {
		_, err := h.CreateTask(ctx, by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains", Context: c}})
		return err
	}
	details := func(ctx context.Context, h *house, by actor.Actor, person core.PersonID) error {
		_, err := h.TaskDetails(ctx, by, "t-none", person)
		return err
	}
	return map[string]use{
		"createTask": {
			own: func(ctx context.Context, h *house, by actor.Actor) error { return give(ctx, h, by, nil) },
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return give(ctx, h, by, &api.Context{Session: string(h.session(by.Person))})
			},
		},
		"cancelTasks": bulkUse(func(ctx context.Context, h *house, by actor.Actor, ids []string, person core.PersonID) ([]api.BulkTask, error) {
			return h.CancelTasks(ctx, by, ids, person, "")
		}),
		"retryTasks": bulkUse(func(ctx context.Context, h *house, by actor.Actor, ids []string, person core.PersonID) ([]api.BulkTask, error) {
			return h.RetryTasks(ctx, by, ids, person)
		}),
		"getTaskDetails": {
			own:    func(ctx context.Context, h *house, by actor.Actor) error { return details(ctx, h, by, "") },
			others: func(ctx context.Context, h *house, by actor.Actor) error { return details(ctx, h, by, "*") },
		},
	}
}

// bulkUse changes one task of the actor, and one of another person.
func bulkUse(change func(context.Context, *house, actor.Actor, []string, core.PersonID) ([]api.BulkTask, error)) use {
	return use{
		own: func(ctx context.Context, h *house, by actor.Actor) error {
			return onlyOf(change(ctx, h, by, []string{string(h.task(by.Person).ID)}, ""))
		},
		others: func(ctx context.Context, h *house, by actor.Actor) error {
			return onlyOf(change(ctx, h, by, []string{string(h.task(other(by)).ID)}, "*"))
		},
	}
}

// onlyOf returns the error of the only task of several.
func onlyOf(list []api.BulkTask, err error) error {
	if err != nil || len(list) != 1 || list[0].Error == nil {
		return err
	}
	return &service.Error{Code: list[0].Error.Code, Message: list[0].Error.Message}
}
