package web

import "net/http"

func (s *Server) getMetrics(w http.ResponseWriter, r *http.Request) error {
	known, err := s.Backend.Numbers(r.Context(), actor(r))
	if err != nil {
		return err
	}
	known.Hooks = map[string]int64{}
	for path, hook := range s.Hooks {
		if counts, ok := hook.(interface{ Refused() int64 }); ok {
			known.Hooks[path] = counts.Refused()
		}
	}
	s.Metrics.Serve(w, r, known)
	return nil
}
