package service

import (
	"context"
	"errors"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// ClientCalls are calls of a program's tools, and what the agent said with them.
type ClientCalls = store.ClientCalls

// ClientCalls returns the calls that a turn of a conversation has ended with, for the program
// that talks with the agent: e is the reply that says so.
func (s *Service) ClientCalls(ctx context.Context, by Actor, key errand.SessionKey, e errand.Event) (ClientCalls, error) {
	if err := s.follows(by, key); err != nil {
		return ClientCalls{}, err
	}
	return s.Store.ClientCalls(ctx, key, e.Session, e.Turn)
}

// ClientCallOf returns the route of the conversation in which an agent has called a program's
// tool, and whether that waits for its output; no route where the actor has no such conversation.
func (s *Service) ClientCallOf(ctx context.Context, by Actor, id string) (route errand.Route, waits bool, err error) {
	if err := s.may(by, rights.SessionsFollow); err != nil {
		return route, false, err
	}
	key, route, waits, err := s.Store.CallOf(ctx, id)
	if errors.Is(err, store.ErrNotFound) || err == nil && key != errand.NewSessionKey(route, by.Person) {
		return errand.Route{}, false, nil
	}
	return route, waits, err
}

// UnknownCall says that a message has the output of a call that waits for none.
func UnknownCall() error {
	return Invalid("unknown_call", "refusal.client_call")
}
