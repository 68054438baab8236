package web

import (
	"net/http"

	"errand/api"
	"errand/internal/ops"
)

func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	in := api.MetricsInput{Accept: r.Header.Get("Accept"), Hooks: map[string]int64{}}
	for path, hook := range s.Hooks {
		if counts, ok := hook.(interface{ Refused() int64 }); ok {
			in.Hooks[path] = counts.Refused()
		}
	}
	text, err := ops.Do(r.Context(), s.Runner, api.GetMetrics, actorOf(r), in)
	if err != nil {
		return err
	}
	return writeFile(w, text, "")
}
