package web

import (
	"net/http"
	"time"

	"errand"
	"errand/internal/service"
)

// A cleanUp is one run of maintenance as the API shows it.
type cleanUp struct {
	ID       string         `json:"id"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero"` // zero: it is at work, or was lost
	Report   map[string]int `json:"report"`            // how many, by what was done
	Failed   []string       `json:"failed,omitempty"`  // what could not be finished; the next run does
}

func (s *Server) getMaintenance(w http.ResponseWriter, r *http.Request) error {
	limit, err := number(r.URL.Query(), "limit", 10, 100)
	if err != nil {
		return err
	}
	list, err := s.Backend.Maintenance(r.Context(), actor(r), limit)
	views := make([]cleanUp, len(list))
	for i, u := range list {
		views[i] = cleanUp{u.ID, u.Started, u.Finished, u.Done, u.Failed}
	}
	return replyList(w, views, err)
}

// postMaintenance has one run begin; getMaintenance tells when it is done.
func (s *Server) postMaintenance(w http.ResponseWriter, r *http.Request) error {
	if err := s.Backend.RunMaintenance(r.Context(), actor(r)); err != nil {
		return err
	}
	return reply(w, http.StatusAccepted, map[string]any{"started": true})
}

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
	total := service.UsageSum{}
	for _, u := range used {
		total.Calls += u.Calls
		total.InputTokens += u.InputTokens
		total.OutputTokens += u.OutputTokens
		total.Cost += u.Cost
	}
	if used == nil {
		used = []service.UsageSum{}
	}
	return reply(w, http.StatusOK, map[string]any{"from": from, "people": used, "total": map[string]any{
		"calls": total.Calls, "input_tokens": total.InputTokens, "output_tokens": total.OutputTokens, "cost": total.Cost}})
}
