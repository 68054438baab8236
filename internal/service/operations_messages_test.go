package service_test

import (
	"context"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/test/servicetest"
)

// An acceptor accepts every message and stores none.
type acceptor struct{}

func (acceptor) AcceptMessage(_ context.Context, _ actor.Actor, _ core.Route, in api.SendMessageInput) (api.MessageReceipt, error) {
	return api.MessageReceipt{MessageID: in.Body.MessageID}, nil
}

func usesOfMessages() map[string]use {
	main := api.ChatName{Chat: "main"}
	message := api.SendMessageInput{ChatName: main, Wait: "false"}
	message.Body.Text = "hello"
	return map[string]use{
		"sendMessage": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.SendMessage, by, message)
		}},
		"streamReply": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return open(ctx, h, api.StreamReply, by, message)
		}},
		"listWaiting": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListWaiting, by, main)
		}},
		"listTurnChanges": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.ListTurnChanges, by, api.SentMessageID{ChatName: main, Message: "none"})
		}},
		"editMessage": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			in := api.EditMessageInput{WaitingMessageID: api.WaitingMessageID{ChatName: main, Message: "none"}}
			in.Body.Text = "tea"
			return do(ctx, h, api.EditMessage, by, in)
		}},
		"withdrawMessage": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.WithdrawMessage, by, api.WaitingMessageID{ChatName: main, Message: "none"})
		}},
		"getEvents": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return open(ctx, h, api.GetEvents, by, api.EventsInput{ChatName: main})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return open(ctx, h, api.GetEvents, by, api.EventsInput{ChatName: main, Person: other(by)})
			},
		},
		"listEvents": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListEvents, by, api.EventsInput{ChatName: main, Before: "9", Limit: 1})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return do(ctx, h, api.ListEvents, by, api.EventsInput{ChatName: main, After: "0", Limit: 1, Person: other(by)})
			},
		},
		"getMessageEvent": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetMessageEvent, by, api.MessageEventInput{Chat: "main", Message: "m"})
		}},
		"getReply": {own: func(ctx context.Context, h *house, by actor.Actor) error {
			return do(ctx, h, api.GetReply, by, api.GetReplyInput{Chat: "main", Message: "m"})
		}},
		"watchChanges": {
			own: func(ctx context.Context, h *house, by actor.Actor) error {
				return open(ctx, h, api.WatchChanges, by, api.WatchChangesInput{})
			},
			others: func(ctx context.Context, h *house, by actor.Actor) error {
				return open(ctx, h, api.WatchChanges, by, api.WatchChangesInput{Person: api.Person{Person: "*"}})
			},
		},
	}
}

// open opens a stream and leaves it.
func open[In, Event any](ctx context.Context, h *house, op api.Stream[In, Event], by actor.Actor, in In) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	return servicetest.Stream(ctx, h.Runner, op, by, in, leave, func(Event) error { return nil })
}
