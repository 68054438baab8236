package service

import (
	"context"

	"errand"
)

// isLocal refuses what only agents can do that errand runs itself: a peer is sent a task once,
// and not spoken with after that. So is an agent that a person has registered.
func (s *Service) isLocal(ctx context.Context, t errand.Task) error {
	for _, a := range t.Agents {
		kind := s.Roster.Kind(a)
		remote := kind.IsRemote()
		if kind == "" {
			var err error
			if remote, err = s.Store.IsRegistered(ctx, t.Origin.Person, a); err != nil {
				return err
			}
		}
		if remote {
			return conflict("remote", "refusal.remote", "task", t.ID, "agent", a.Display())
		}
	}
	return nil
}
