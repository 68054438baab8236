package web

import (
	"context"
	"errors"
	"sync"

	"errand/internal/service"
)

// readiness is which part was last found not to answer.
type readiness struct {
	mu   sync.Mutex
	part string
}

// notReady returns the part that does not answer; empty: all do. Anybody may ask
// and is told no more than that; why is logged, once until it changes.
func (s *Server) notReady(ctx context.Context) string {
	err := s.Backend.Ready(ctx)
	if ctx.Err() != nil {
		return "errand" // who asked has left
	}
	part := ""
	var missing *service.NotReady
	switch {
	case errors.As(err, &missing):
		part = missing.Part
	case err != nil:
		part = "errand"
	}
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	if part != s.ready.part {
		if s.ready.part = part; part != "" {
			s.Logger.Warn("not ready", "part", part, "error", err)
		} else {
			s.Logger.Info("ready again")
		}
	}
	return part
}
