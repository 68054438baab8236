package service

import (
	"cmp"
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/ops"
	"errand/internal/store"
)

// Calls has the operations on calls of programs that wait, and on calls of their own tools.
type Calls struct{ *Env }

func (c *Calls) bind(r *ops.Runner) {
	ops.Bind(r, api.CancelCall, c.cancel)
	ops.Bind(r, api.FollowCall, c.follow)
	ops.Bind(r, api.GetClientCalls, c.ofTurn)
	ops.Bind(r, api.FindClientCall, c.find)
}

func (c *Calls) cancel(_ context.Context, by actor.Actor, in api.CallID) (api.None, error) {
	c.Store.Bus().Publish(core.Event{Type: events.CallCanceled, Task: waitingCall(by, in.ID)})
	return api.None{}, nil
}

func (c *Calls) follow(_ context.Context, by actor.Actor, in api.FollowCallInput) (forget func(), err error) {
	announced, forget := c.Store.Bus().SubscribeTask(waitingCall(by, in.ID))
	go func() {
		for e := range announced {
			if e.Type == events.CallCanceled {
				in.Canceled()
			}
		}
	}()
	return forget, nil
}

// waitingCall is a name on the bus that no task's id equals.
func waitingCall(by actor.Actor, id string) core.TaskID {
	return core.TaskID("call " + cmp.Or(by.Login(), string(by.Person)) + " " + id)
}

func (c *Calls) ofTurn(ctx context.Context, by actor.Actor, in api.ClientCallsInput) (api.ClientCalls, error) {
	if err := c.reads(by, in.Key); err != nil {
		return api.ClientCalls{}, err
	}
	calls, err := c.Store.ClientCalls(ctx, in.Key, in.Session, in.Turn)
	return api.ClientCalls(calls), err
}

func (c *Calls) find(ctx context.Context, by actor.Actor, in api.FindClientCallInput) (api.FoundClientCall, error) {
	key, route, waits, err := c.Store.CallOf(ctx, in.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && key != core.NewSessionKey(route, by.Person) {
		return api.FoundClientCall{}, nil
	}
	return api.FoundClientCall{Route: route, Waits: waits}, err
}

// UnknownCall refuses a message with the output of a call that does not wait for one.
func UnknownCall() error {
	return Invalid("unknown_call", "refusal.client_call")
}
