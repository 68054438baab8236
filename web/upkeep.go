package web

import (
	"net/http"
	"time"

	"errand"
	"errand/gateway"
)

// getUsage tells what was used today, or in the last so many days.
func (s *Server) getUsage(w http.ResponseWriter, r *http.Request) error {
	days, err := number(r.URL.Query(), "days", 1, 3660)
	if err != nil {
		return err
	}
	from := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	used, err := s.Backend.Usage(r.Context(), actor(r), errand.PersonID(r.URL.Query().Get("person")), from)
	if err != nil {
		return err
	}
	total := gateway.UsageSum{}
	for _, u := range used {
		total.Calls += u.Calls
		total.InputTokens += u.InputTokens
		total.OutputTokens += u.OutputTokens
		total.Cost += u.Cost
	}
	if used == nil {
		used = []gateway.UsageSum{}
	}
	return reply(w, http.StatusOK, map[string]any{"from": from, "people": used, "total": map[string]any{
		"calls": total.Calls, "input_tokens": total.InputTokens, "output_tokens": total.OutputTokens, "cost": total.Cost}})
}
