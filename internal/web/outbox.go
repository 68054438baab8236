package web

import (
	"net/http"

	"errand"
	"errand/internal/service"
)

type outboxIn struct {
	State []errand.OutboxState `query:"state" description:"one state, or several with commas; may be repeated"`
	Limit int                  `query:"limit" default:"200" maximum:"1000" description:"at most so many, 200 by default"`
	inPage
}

func (s *Server) getOutbox(r *http.Request, in outboxIn, p service.Page) ([]errand.Notification, error) {
	return s.Backend.Outbox(r.Context(), actor(r), in.State, p)
}

type deliveryIn struct {
	ID int64 `path:"id" id:"delivery"`
}

type deliveryOut struct {
	ID int64 `json:"id"`
}

func (s *Server) postOutboxRetry(r *http.Request, in deliveryIn) (deliveryOut, error) {
	return deliveryOut(in), s.Backend.RetryOutbox(r.Context(), actor(r), in.ID)
}

func (s *Server) postOutboxDismiss(r *http.Request, in deliveryIn) (deliveryOut, error) {
	return deliveryOut(in), s.Backend.DismissOutbox(r.Context(), actor(r), in.ID)
}
