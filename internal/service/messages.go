package service

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// WaitingMessage is a message that no turn has taken yet.
type WaitingMessage = store.WaitingMessage

// WaitingMessages returns what the actor has written in a chat of theirs and no turn has
// taken yet.
func (s *Service) WaitingMessages(ctx context.Context, by Actor, route errand.Route) ([]WaitingMessage, error) {
	if err := s.may(by, rights.SessionsFollow); err != nil {
		return nil, err
	}
	return s.Store.WaitingMessages(ctx, errand.NewSessionKey(route, by.Person))
}

// EditMessage gives a message of the actor's other words, as long as no turn has taken it.
func (s *Service) EditMessage(ctx context.Context, by Actor, route errand.Route, id, text string) error {
	if err := s.may(by, rights.MessagesSend); err != nil {
		return err
	}
	text, err := CleanText(text, s.MessageBytes)
	if err != nil {
		return err
	}
	if errand.IsCommand(text) {
		return Invalid("command", "refusal.edit_command")
	}
	if strings.HasPrefix(text, "//") { // as of a message that is written anew
		text = text[1:]
	}
	return waiting(s.Store.EditWaiting(ctx, errand.NewSessionKey(route, by.Person), id, text))
}

// WithdrawMessage takes a message of the actor's back, as long as no turn has taken it.
func (s *Service) WithdrawMessage(ctx context.Context, by Actor, route errand.Route, id string) error {
	if err := s.may(by, rights.MessagesSend); err != nil {
		return err
	}
	return waiting(s.Store.Withdraw(ctx, errand.NewSessionKey(route, by.Person), id))
}

func waiting(err error) error {
	if errors.Is(err, store.ErrClosed) {
		return conflict("taken", "refusal.message_taken")
	}
	return Known(err)
}
