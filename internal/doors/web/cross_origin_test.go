package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCrossOrigin proves that a page of an origin that errand.yaml names calls /v1 by a token, and
// nothing else, and that no other page does, nor by a cookie.
func TestCrossOrigin(t *testing.T) {
	h := handle(t, &memory{}, func(o *Options) { o.Origins = []string{"http://localhost:3000"} })
	for name, tt := range map[string]struct {
		method, path, origin, token string
		status                      int
		allowed                     bool
	}{
		"asked before": {http.MethodOptions, "/v1/chat/completions", "http://localhost:3000", "", http.StatusNoContent, true},
		"by a token":   {http.MethodPost, "/v1/chat/completions", "http://localhost:3000", "token-owner", http.StatusOK, true},
		"by a cookie":  {http.MethodPost, "/v1/chat/completions", "http://localhost:3000", "", http.StatusUnauthorized, true},
		"another page": {http.MethodOptions, "/v1/chat/completions", "http://localhost:3001", "", http.StatusUnauthorized, false},
		"and its call": {http.MethodPost, "/v1/chat/completions", "http://localhost:3001", "token-owner", http.StatusForbidden, false},
		"the API":      {http.MethodOptions, "/api/tasks", "http://localhost:3000", "", http.StatusForbidden, false},
		"MCP":          {http.MethodPost, "/mcp", "http://localhost:3000", "token-owner", http.StatusForbidden, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://localhost:8080"+tt.path, strings.NewReader("{}"))
			r.Header.Set("Origin", tt.origin)
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Access-Control-Request-Headers", "authorization")
			if tt.token != "" {
				r.Header.Set("Authorization", "Bearer "+tt.token)
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if got := w.Header().Get("Access-Control-Allow-Origin"); w.Code != tt.status || (got == tt.origin) != tt.allowed || got != "" && !tt.allowed {
				t.Errorf("it is answered %d %s, and allows %q", w.Code, w.Body, got)
			}
			if tt.method == http.MethodOptions && tt.allowed && w.Header().Get("Access-Control-Allow-Headers") != "authorization" {
				t.Errorf("the headers are %v", w.Header())
			}
		})
	}
}
