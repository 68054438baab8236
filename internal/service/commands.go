package service

import (
	"context"

	"errand/internal/store"
)

// CommandAnswer returns what the command that came with a message was answered,
// see [store.Store.CommandAnswer]. It asks for no capability, as neither does
// NoteCommand: what a command does has been asked for when it is carried out.
func (s *Service) CommandAnswer(ctx context.Context, m store.InboxMessage) (answer string, seen, carried bool, err error) {
	return s.Store.CommandAnswer(ctx, m)
}

// NoteCommand notes that the command that came with m has been carried out and
// answered.
func (s *Service) NoteCommand(ctx context.Context, m store.InboxMessage) error {
	return s.Store.NoteCommand(ctx, m)
}
