package service

import (
	"cmp"
	"context"
	"errors"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/workflows"
)

// A Stopped is what became of a session that somebody stopped.
type Stopped struct {
	Any  bool // a turn or a task ended
	Left bool // none did, and tasks of the session are open
}

// Stop ends the running turn of a session and the tasks it waits for; with all,
// every open task of the session, and what of it waits for a yes. Of a session that several share it ends, for
// those who may not end what others have asked for, only what is theirs.
func (s *Service) Stop(ctx context.Context, by Actor, key errand.SessionKey, all bool) (Stopped, error) {
	if err := s.may(by, rights.SessionsStop); err != nil {
		return Stopped{}, err
	}
	ctx = doing(ctx, by)
	if err := s.changes(by, key); err != nil {
		return Stopped{}, err
	}
	ended, err := s.stopTurn(ctx, by, key, all)
	if err != nil || ended {
		return Stopped{Any: ended}, err
	}
	open, err := s.Store.Tasks(ctx, store.TaskFilter{Session: key, States: errand.OpenStates(), Limit: 1})
	return Stopped{Left: len(open) > 0}, err
}

// stopTurn reports whether something ended.
func (s *Service) stopTurn(ctx context.Context, by Actor, key errand.SessionKey, all bool) (bool, error) {
	var whose errand.PersonID // empty: everybody's
	if s.forAll(by, key, "/stop") != nil {
		whose = by.Person
	}
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
	if err != nil {
		return closed.Any || some, err
	}
	withdrawn, err := s.Store.WithdrawApprovals(ctx, key, whose)
	return closed.Any || some || withdrawn > 0, err
}

// BusyMode is what becomes of messages to a conversation while an agent works.
func (s *Service) BusyMode(ctx context.Context, by Actor, key errand.SessionKey) (workflows.BusyMode, error) {
	if err := s.may(by, rights.SessionsBusy); err != nil {
		return "", err
	}
	if err := s.reads(by, key); err != nil {
		return "", err
	}
	now, err := s.Store.Current(ctx, key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return "", err
	}
	return cmp.Or(workflows.BusyMode(now.Busy), s.Busy), nil
}

// SetBusy sets the busy mode of a conversation: once for the id of what asks for it.
func (s *Service) SetBusy(ctx context.Context, by Actor, key errand.SessionKey, id string, mode workflows.BusyMode) error {
	if err := s.may(by, rights.SessionsBusy); err != nil {
		return err
	}
	if err := cmp.Or(s.changes(by, key), s.forAll(by, key, "/busy")); err != nil {
		return err
	}
	return s.Dispatch.SetBusy(ctx, key, id, mode)
}
