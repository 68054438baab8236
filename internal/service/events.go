package service

import (
	"context"

	"errand"
)

// Events returns the events of a conversation after an id, in order.
func (s *Service) Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	return s.Store.Events(ctx, key, after, limit)
}

// LastEvents returns the newest n events of a conversation, in order.
func (s *Service) LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error) {
	return s.Store.LastEvents(ctx, key, n)
}

// Subscribe returns the events of a conversation from now on, the passing ones
// too. One without id and of no known type says that some were missed: read on
// from the log.
func (s *Service) Subscribe(key errand.SessionKey) (<-chan errand.Event, func()) {
	return s.Store.Hub().Subscribe(key)
}

// MessageEvent returns the id of the event of a message; 0 if it was never
// accepted.
func (s *Service) MessageEvent(ctx context.Context, key errand.SessionKey, messageID string) (int64, error) {
	return s.Store.MessageEvent(ctx, key, messageID)
}

// Answers reports whether e, which came after a message, is the end of its turn:
// the reply, or word that there is none; of a later turn where that one was
// interrupted.
func (s *Service) Answers(ctx context.Context, e errand.Event, key errand.SessionKey, messageID string) (bool, error) {
	switch {
	case e.Type == errand.EventReply, e.Type == errand.EventQuestion, e.Type == errand.EventError:
	case e.Type == errand.EventNotice && e.Turn > 0:
	default:
		return false, nil
	}
	owner, turn, ok, err := s.Store.TurnOfMessage(ctx, key, messageID)
	if err != nil || !ok {
		return false, err
	}
	return owner != errand.SessionOwner(e.Session) || e.Turn >= turn, nil
}
