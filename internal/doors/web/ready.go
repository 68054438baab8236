package web

import (
	"context"
	"errors"
	"sync"

	"errand/internal/service"
)

type readiness struct {
	mu  sync.Mutex
	why string
}

// notReady reports only which part does not answer, because anyone may ask. It logs an error once,
// until the reason changes.
func (s *Server) notReady(ctx context.Context) string {
	err := s.Ready(ctx)
	why := "errand does not answer"
	if ctx.Err() != nil {
		return why // the client is gone
	}
	var missing *service.NotReady
	switch {
	case err == nil:
		why = ""
	case service.IsFull(err):
		why = "cannot write to the store: the disk is full"
	case errors.As(err, &missing):
		why = missing.Part + " does not answer"
	}
	s.readiness.mu.Lock()
	defer s.readiness.mu.Unlock()
	if why != s.readiness.why {
		if s.readiness.why = why; why != "" {
			s.Logger.Warn("not ready", "why", why, "error", err)
		} else {
			s.Logger.Info("ready again")
		}
	}
	return why
}
