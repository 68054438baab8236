package service

import (
	"context"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// Chats in the list of a person, under the names that pages use.
type (
	Chat       = store.Chat
	ChatChange = store.ChatChange
)

// Chats lists the actor's own chats, on all channels.
func (s *Service) Chats(ctx context.Context, by Actor, p Page) ([]Chat, error) {
	if err := s.may(by, rights.SessionsRead); err != nil {
		return nil, err
	}
	return paged(s.Store.Chats(ctx, by.Person, p))
}

// ChangeChat changes a chat in the list of the actor's own, by the id of a session of it.
func (s *Service) ChangeChat(ctx context.Context, by Actor, id errand.SessionID, to ChatChange) error {
	if err := s.may(by, rights.ChatsChange); err != nil {
		return err
	}
	return Known(s.Store.ChangeChat(ctx, by.Person, id, to))
}
