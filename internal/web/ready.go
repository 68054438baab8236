package web

import (
	"context"
	"errors"
	"sync"

	"errand/internal/service"
)

// readiness is why the worker was last found not to be ready; empty: it was.
type readiness struct {
	mu  sync.Mutex
	why string
}

// notReady returns why the worker is not ready: which part does not answer, or that the
// disk is full; empty: it is ready. Anybody may ask and is told no more than that; the error is
// logged, once until it changes.
func (s *Server) notReady(ctx context.Context) string {
	err := s.Backend.Ready(ctx)
	why := "errand does not answer"
	if ctx.Err() != nil {
		return why // the client has left
	}
	var missing *service.NotReady
	switch {
	case err == nil:
		why = ""
	case service.IsFull(err):
		why = "the store cannot be written: the disk is full"
	case errors.As(err, &missing):
		why = missing.Part + " does not answer"
	}
	s.ready.mu.Lock()
	defer s.ready.mu.Unlock()
	if why != s.ready.why {
		if s.ready.why = why; why != "" {
			s.Logger.Warn("not ready", "why", why, "error", err)
		} else {
			s.Logger.Info("ready again")
		}
	}
	return why
}
