package web

import (
	"net/http"
	"slices"
	"strings"
)

const v1Path = "/v1/"

// crossOrigin lets pages of configured origins call OpenAI's API with a token. allowed serves their
// requests; checked serves all others.
func (s *Server) crossOrigin(allowed, checked http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := r.Header.Get("Origin")
		if !strings.HasPrefix(r.URL.Path, v1Path) || !slices.Contains(s.Origins, origin) {
			checked.ServeHTTP(w, r)
			return
		}
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origin)
		h.Add("Vary", "Origin")
		if r.Method != http.MethodOptions {
			h.Set("Access-Control-Expose-Headers", "X-Should-Retry")
			r.Header.Del("Cookie")
			allowed.ServeHTTP(w, r)
			return
		}
		h.Set("Access-Control-Allow-Methods", "GET, POST")
		h.Set("Access-Control-Allow-Headers", r.Header.Get("Access-Control-Request-Headers"))
		h.Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	})
}
