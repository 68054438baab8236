package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

func usesOfA2A() map[string]use {
	none := api.A2ATaskID{Task: "t-none"}
	push := api.A2APushInput{Push: core.A2APush{Task: none.Task, URL: "https://example.org/"}}
	receive := func(ctx context.Context, h *house, by actor.Actor) error {
		_, err := h.receiveA2A(ctx, by, api.A2AMessage{ID: "m-1", Agent: "trains", Text: "find trains"})
		return err
	}
	// It adds to a task, and answers the question of another.
	add := func(ctx context.Context, h *house, by actor.Actor) error {
		working, asks := h.task(by.Person), h.task(by.Person)
		h.asked(asks, false)
		_, err := h.receiveA2A(ctx, by, api.A2AMessage{ID: "m-2", Task: working.ID, Text: "by night"})
		if err == nil {
			_, err = h.receiveA2A(ctx, by, api.A2AMessage{ID: "m-3", Task: asks.ID, Text: "Yes"})
		}
		return err
	}
	return map[string]use{
		"receiveA2A": {own: receive, others: add, audits: []func(context.Context, *house, actor.Actor) error{receive, add}},
		"getA2ATask": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetA2ATask, by, none)
		}},
		"listA2ATasks": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListA2ATasks, by, api.ListA2ATasksInput{})
		}},
		"setA2APush": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.SetA2APush, by, push)
		}},
		"checkA2APush": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CheckA2APush, by, push)
		}},
		"listA2APushes": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListA2APushes, by, none)
		}},
		"deleteA2APush": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.DeleteA2APush, by, api.DeleteA2APushInput{A2ATaskID: none, ID: "p"})
		}},
	}
}

func usesOfCalls() map[string]use {
	return map[string]use{
		"cancelCall": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.CancelCall, by, api.CallID{ID: "1"})
		}},
		"followCall": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			forget, err := ops.Do(ctx, h.Runner, api.FollowCall, by, api.FollowCallInput{CallID: api.CallID{ID: "1"}})
			if err == nil {
				forget()
			}
			return err
		}},
		"getClientCalls": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetClientCalls, by, api.ClientCallsInput{Key: chatOf(by.Person)})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.GetClientCalls, by, api.ClientCallsInput{Key: chatOf(other(by))})
			},
		},
		"findClientCall": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.FindClientCall, by, api.FindClientCallInput{ID: "call_none"})
		}},
	}
}
