package service

import (
	"context"

	"github.com/google/uuid"

	"errand"
	"errand/internal/store"
	"errand/workflows"
)

// Stop ends the running turn of a session and the tasks it waits for; with all,
// every open task of the session. Of a session that several share it ends, with
// whose, only what that person has asked for. It reports whether there was
// something.
func (s *Service) Stop(ctx context.Context, key errand.SessionKey, whose errand.PersonID, all bool) (bool, error) {
	// The rows are closed first: when it returns, no model call of the turn or of
	// those tasks begins any more.
	closed, err := s.Store.StopTurn(ctx, key, whose)
	if err != nil {
		return false, err
	}
	for _, t := range closed.Tasks {
		if err := s.Dispatch.StopTask(ctx, t.ID); err != nil {
			s.Logger.Warn("workflow of a stopped task not canceled", "task", t.ID, "error", err)
		}
	}
	if closed.Turn > 0 {
		if err := s.Dispatch.StopTurn(ctx, key, closed.Session, closed.Turn); err != nil {
			return closed.Any, err
		}
	}
	if !all {
		return closed.Any, nil
	}
	some, err := s.cancelAll(ctx, store.TaskFilter{Session: key, Person: whose}, "stopped")
	return closed.Any || some, err
}

// Reset ends the session id of a conversation and begins another.
func (s *Service) Reset(ctx context.Context, key errand.SessionKey) (errand.SessionID, error) {
	return s.Dispatch.ResetSession(ctx, key, uuid.NewString(), workflows.ResetUpdate{})
}

// SetBusy sets the busy mode of a conversation.
func (s *Service) SetBusy(ctx context.Context, key errand.SessionKey, mode workflows.BusyMode) error {
	return s.Dispatch.SetBusy(ctx, key, uuid.NewString(), mode)
}
