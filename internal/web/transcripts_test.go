package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestCallsOfATurn proves that the calls of a turn are asked for by whoever is logged in,
// and only with a turn that there can be.
func TestCallsOfATurn(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	status, raw := request(t, server, http.MethodGet, "/api/sessions/5f/calls?turn=3", "", nil)
	if status != http.StatusOK || !strings.Contains(raw, `"tool":"web_search"`) || !slices.Contains(m.asked, "TurnCalls owner|5f|3") {
		t.Errorf("%d %s, asked for was %q", status, raw, m.asked)
	}
	for _, path := range []string{"/api/sessions/5f/calls", "/api/sessions/5f/calls?turn=0", "/api/sessions/5f/calls?turn=x", "/api/sessions/5f/calls?turn=99999999999"} {
		if status, raw := request(t, server, http.MethodGet, path, "", nil); status != http.StatusBadRequest {
			t.Errorf("%s is answered %d %s", path, status, raw)
		}
	}
}
