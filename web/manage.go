package web

import (
	"context"
	"net/http"
	"strconv"

	"errand"
)

func (s *Server) listSessions(w http.ResponseWriter, r *http.Request) error {
	sessions, err := s.Backend.Sessions(r.Context())
	if err != nil {
		return err
	}
	list(w, sessions)
	return nil
}

func (s *Server) resetSession(w http.ResponseWriter, r *http.Request) error {
	if err := read(w, r, &struct{}{}); err != nil {
		return err
	}
	id, err := s.Backend.ResetSession(r.Context(), r.PathValue("chat"))
	if err != nil {
		return err
	}
	write(w, http.StatusOK, map[string]errand.SessionID{"session_id": id})
	return nil
}

func (s *Server) listOutbox(w http.ResponseWriter, r *http.Request) error {
	var states []errand.OutboxState
	for _, name := range values(r.URL.Query()["state"]) {
		switch state := errand.OutboxState(name); state {
		case errand.Pending, errand.Sending, errand.Sent, errand.Unknown, errand.Blocked, errand.Dismissed:
			states = append(states, state)
		default:
			return badRequest("state", "there is no delivery state %q; there are pending, sending, sent, unknown, blocked and dismissed", name)
		}
	}
	rows, err := s.Backend.Outbox(r.Context(), states)
	if err != nil {
		return err
	}
	list(w, rows)
	return nil
}

func (s *Server) retryOutbox(w http.ResponseWriter, r *http.Request) error {
	return s.decide(w, r, s.Backend.RetryOutbox)
}

func (s *Server) dismissOutbox(w http.ResponseWriter, r *http.Request) error {
	return s.decide(w, r, s.Backend.DismissOutbox)
}

func (s *Server) decide(w http.ResponseWriter, r *http.Request, do func(context.Context, int64) error) error {
	if err := read(w, r, &struct{}{}); err != nil {
		return err
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return badRequest("outbox_id", "the id of a delivery is a number; this is none")
	}
	if err := do(r.Context(), id); err != nil {
		return err
	}
	write(w, http.StatusOK, map[string]any{"id": id, "ok": true})
	return nil
}

func (s *Server) listAgents(w http.ResponseWriter, _ *http.Request) error {
	list(w, s.Backend.Agents())
	return nil
}

func (s *Server) getPause(w http.ResponseWriter, r *http.Request) error {
	paused, err := s.Backend.Paused(r.Context())
	if err != nil {
		return err
	}
	write(w, http.StatusOK, map[string]bool{"paused": paused})
	return nil
}

func (s *Server) pause(w http.ResponseWriter, r *http.Request) error {
	return s.setPause(w, r, s.Backend.Pause)
}

func (s *Server) resume(w http.ResponseWriter, r *http.Request) error {
	return s.setPause(w, r, s.Backend.Resume)
}

func (s *Server) setPause(w http.ResponseWriter, r *http.Request, do func(context.Context) error) error {
	if err := read(w, r, &struct{}{}); err != nil {
		return err
	}
	if err := do(r.Context()); err != nil {
		return err
	}
	return s.getPause(w, r)
}
