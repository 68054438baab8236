package web

import (
	"net/http"
	"strings"
	"testing"
)

// TestSelf proves that callers change only themselves, and not their role.
func TestSelf(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	for body, want := range map[string]int{
		`{"language":"es","time_zone":"Europe/Oslo"}`: 200, `{"role":"master_admin"}`: 400, `{"id":"ana","language":"es"}`: 400,
	} {
		if status, raw := request(t, server, http.MethodPost, "/api/me", body, nil); status != want || status == 200 && !strings.Contains(raw, `"id":"owner"`) {
			t.Errorf("%s is answered %d %s", body, status, raw)
		}
	}
}
