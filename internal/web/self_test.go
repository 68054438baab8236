package web

import (
	"net/http"
	"strings"
	"testing"
)

// TestSelf proves that whoever asks changes what is theirs, and nothing of anybody else.
func TestSelf(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	for body, want := range map[string]int{
		`{"language":"es","time_zone":"Europe/Oslo"}`: 200, `{}`: 400, `{"role":"master_admin"}`: 400, `{"id":"ana","language":"es"}`: 400,
	} {
		if status, raw := request(t, server, http.MethodPost, "/api/me", body, nil); status != want || status == 200 && !strings.Contains(raw, `"id":"owner"`) {
			t.Errorf("%s is answered %d %s", body, status, raw)
		}
	}
	if status, raw := request(t, server, http.MethodGet, "/api/me", "", nil); status != 200 || !strings.Contains(raw, `"POST /api/me"`) {
		t.Errorf("%d %s", status, raw)
	}
}
