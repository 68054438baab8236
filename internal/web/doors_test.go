package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestDoors proves that a program comes in by a token and by nothing else, and is told
// where it reads what to show.
func TestDoors(t *testing.T) {
	h := handle(t, &memory{}, nil)
	for _, tt := range []struct {
		name, method, path string
		header             map[string]string
		status             int
		want               string
	}{
		{"a token", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "p-mia"},
		{"the key", "POST", "/mcp", map[string]string{"Authorization": "Bearer " + testKey}, 200, "owner"},
		{"another method", "GET", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "p-mia"},
		{"an agent", "POST", "/a2a/sasha", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "http://127.0.0.1:8080/a2a/sasha p-mia"},
		{"an agent's task", "GET", "/a2a/sasha/tasks/t-1", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "/a2a/sasha/tasks/t-1 p-mia"},
		{"a card for a stranger", "GET", "/.well-known/agent-card.json", nil, 200, "http://127.0.0.1:8080/.well-known/agent-card.json for ."},
		{"an agent's card for a stranger", "GET", "/a2a/sasha/.well-known/agent-card.json", nil, 200, "for ."},
		{"a card with a token", "GET", "/a2a/sasha/.well-known/agent-card.json", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "for p-mia."},
		{"nothing", "POST", "/mcp", nil, 401, "errand open"},
		{"a wrong token", "POST", "/mcp", map[string]string{"Authorization": "Bearer nonsense"}, 401, ""},
		{"a cookie", "POST", "/mcp", map[string]string{"Cookie": "errand-test=token-p-mia"}, 401, ""},
		{"a page elsewhere", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		{"another name", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia", "Host": "evil.example"}, 403, "host"},
		{"what it takes", "GET", "/.well-known/oauth-protected-resource/mcp", nil, 200, `"resource":"http://127.0.0.1:8080/mcp"`},
		{"of no door", "GET", "/.well-known/oauth-protected-resource/other", nil, 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://127.0.0.1:8080"+tt.path, strings.NewReader("{}"))
			for k, v := range tt.header {
				if r.Header.Set(k, v); k == "Host" {
					r.Host = v
				}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("it is answered %d %s; want %d with %q", w.Code, w.Body, tt.status, tt.want)
			}
			challenged := strings.Contains(w.Header().Get("WWW-Authenticate"), `resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"`)
			if challenged != (w.Code == http.StatusUnauthorized) {
				t.Errorf("it is told %q with %d", w.Header().Get("WWW-Authenticate"), w.Code)
			}
		})
	}
}
