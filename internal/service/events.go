package service

import (
	"context"

	"errand"
	"errand/internal/rights"
)

// Events returns the events of a conversation after an id, in order.
func (s *Service) Events(ctx context.Context, by Actor, key errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	if err := s.follows(by, key); err != nil {
		return nil, err
	}
	return s.Store.Events(ctx, key, after, limit)
}

// LastEvents returns the newest n events of a conversation, in order.
func (s *Service) LastEvents(ctx context.Context, by Actor, key errand.SessionKey, n int) ([]errand.Event, error) {
	if err := s.follows(by, key); err != nil {
		return nil, err
	}
	return s.Store.LastEvents(ctx, key, n)
}

// EventsBefore returns the newest n events of a conversation before one, in order.
func (s *Service) EventsBefore(ctx context.Context, by Actor, key errand.SessionKey, before int64, n int) ([]errand.Event, error) {
	if err := s.follows(by, key); err != nil {
		return nil, err
	}
	return s.Store.EventsBefore(ctx, key, before, n)
}

// Join is Subscribe, and what goes on comes first: the open steps, and the text so
// far of the reply that is being written.
func (s *Service) Join(_ context.Context, by Actor, key errand.SessionKey) (events <-chan errand.Event, cancel func(), err error) {
	if err := s.follows(by, key); err != nil {
		return nil, nil, err
	}
	events, cancel = s.Store.Bus().Join(key)
	return events, cancel, nil
}

// Subscribe returns the events of a conversation from now on, the passing ones
// too. One without id and of no known type says that some were missed: read on
// from the log.
func (s *Service) Subscribe(_ context.Context, by Actor, key errand.SessionKey) (events <-chan errand.Event, cancel func(), err error) {
	if err := s.follows(by, key); err != nil {
		return nil, nil, err
	}
	events, cancel = s.Store.Bus().Subscribe(key)
	return events, cancel, nil
}

// Live reports whether those who subscribe hear of whatever comes to the log.
func (s *Service) Live() bool { return s.Store.Bus().Live() }

// follows fails where somebody may not read a conversation as it goes on.
func (s *Service) follows(by Actor, key errand.SessionKey) error {
	if err := s.may(by, rights.SessionsFollow); err != nil {
		return err
	}
	return s.reads(by, key)
}

// MessageEvent returns the id of the event of a message; 0 if it was never
// accepted.
func (s *Service) MessageEvent(ctx context.Context, by Actor, key errand.SessionKey, messageID string) (int64, error) {
	if err := s.follows(by, key); err != nil {
		return 0, err
	}
	return s.Store.MessageEvent(ctx, key, messageID)
}

// Answers reports whether e, which came after a message, is the end of its turn:
// the reply, or word that there is none; of a later turn where that one was
// interrupted.
func (s *Service) Answers(ctx context.Context, by Actor, e errand.Event, key errand.SessionKey, messageID string) (bool, error) {
	if err := s.follows(by, key); err != nil {
		return false, err
	}
	switch {
	case e.Type == errand.EventReply, e.Type == errand.EventError:
	case (e.Type == errand.EventQuestion || e.Type == errand.EventNotice) && e.Turn > 0: // others are shown by themselves
	default:
		return false, nil
	}
	owner, turn, ok, err := s.Store.TurnOfMessage(ctx, key, messageID)
	if err != nil || !ok {
		return false, err
	}
	return owner != errand.SessionOwner(e.Session) || e.Turn >= turn, nil
}
