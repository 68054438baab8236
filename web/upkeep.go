package web

import (
	"net/http"
	"time"

	"errand"
)

// getUsage tells what was used today, or in the last so many days.
func (s *Server) getUsage(w http.ResponseWriter, r *http.Request) error {
	days, err := number(r.URL.Query(), "days", 1, 3660)
	if err != nil {
		return err
	}
	today := time.Now().UTC().Truncate(24 * time.Hour)
	used, err := s.Backend.Usage(r.Context(), actor(r), errand.PersonID(r.URL.Query().Get("person")), today.AddDate(0, 0, 1-days))
	return replyList(w, used, err)
}
