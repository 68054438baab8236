package service

import "errand"

// isLocal refuses what only agents can do that errand runs itself: a peer is sent a task once,
// and not spoken with after that.
func (s *Service) isLocal(t errand.Task) error {
	for _, a := range t.Agents {
		if s.Roster.Kind(a).IsRemote() {
			return conflict("remote", "refusal.remote", "task", t.ID, "agent", a.Display())
		}
	}
	return nil
}
