package web

import (
	"net/http"
	"time"

	"errand/internal/service"
)

// A cleanUp is one run of maintenance as the API shows it.
type cleanUp struct {
	ID       string         `json:"id"`
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero" description:"not there: it is at work, or was lost"`
	Report   map[string]int `json:"report" description:"how many, by what was done"`
	Failed   []string       `json:"failed,omitempty" description:"what could not be finished; the next run does"`
}

type maintenanceIn struct {
	Limit int `query:"limit" default:"10" maximum:"100" description:"at most so many, 10 by default"`
}

func (s *Server) getMaintenance(r *http.Request, in maintenanceIn) ([]cleanUp, error) {
	list, err := s.Backend.Maintenance(r.Context(), actor(r), in.Limit)
	return mapped(list, err, func(u service.UpkeepRun) cleanUp {
		return cleanUp{u.ID, u.Started, u.Finished, u.Done, u.Failed}
	})
}

type maintenanceOut struct {
	Started bool `json:"started"`
}

// postMaintenance has one run begin; getMaintenance tells when it is done.
func (s *Server) postMaintenance(r *http.Request, _ nothing) (maintenanceOut, error) {
	return maintenanceOut{true}, s.Backend.RunMaintenance(r.Context(), actor(r))
}

type usageIn struct {
	Days int `query:"days" default:"1" maximum:"3660" description:"in the last so many days, 1 by default"`
	ofPerson
	By []service.UsageBy `query:"by" description:"also sums by day, agent, person, model or tree; several with commas. A tree is what one message or one task has set to work"`
}

type usageOut struct {
	From   time.Time          `json:"from"`
	People []service.UsageSum `json:"people"`
	Total  usageTotal         `json:"total"`
	Groups []usageGroups      `json:"groups,omitempty" description:"with by: what it names, in its order"`
}

type usageGroups struct {
	By   service.UsageBy      `json:"by"`
	Rows []service.UsageGroup `json:"rows" description:"days in their order; of the rest at most 100, the dearest first"`
}

const mostGroups = 100

type usageTotal struct {
	Calls        int     `json:"calls"`
	Cost         float64 `json:"cost" description:"USD"`
	InputTokens  int     `json:"input_tokens"`
	OutputTokens int     `json:"output_tokens"`

	CachedTokens  int `json:"cached_tokens" description:"of the input: providers had them in their caches"`
	WrittenTokens int `json:"written_tokens" description:"of the input: providers put them there, where they bill that"`
}

func (s *Server) getUsage(r *http.Request, in usageIn) (out usageOut, err error) {
	out.From = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-in.Days)
	out.People, err = s.Backend.Usage(r.Context(), actor(r), in.Person, out.From)
	for _, u := range out.People {
		out.Total.Calls += u.Calls
		out.Total.Cost += u.Cost
		out.Total.InputTokens += u.InputTokens
		out.Total.OutputTokens += u.OutputTokens
		out.Total.CachedTokens += u.CachedTokens
		out.Total.WrittenTokens += u.WrittenTokens
	}
	if out.People == nil {
		out.People = []service.UsageSum{}
	}
	for _, by := range in.By {
		if err != nil {
			break
		}
		limit := mostGroups
		if by == service.UsageByDay {
			limit = 0
		}
		var rows []service.UsageGroup
		rows, err = s.Backend.UsageGroups(r.Context(), actor(r), in.Person, out.From, by, limit)
		out.Groups = append(out.Groups, usageGroups{by, append([]service.UsageGroup{}, rows...)})
	}
	return out, err
}
