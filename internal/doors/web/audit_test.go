package web

import (
	"net/http"
	"testing"

	"errand/internal/service"
)

// TestDoorsOfActors proves that the audit log is told by which door somebody has come in.
func TestDoorsOfActors(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	m.logins["login-owner"] = "owner"
	for door, header := range map[string]map[string]string{
		service.DoorAPI:  {"User-Agent": "curl/8"},
		service.DoorCLI:  {"User-Agent": "errand-cli"},
		service.DoorPage: {"Cookie": testCookie + "=login-owner", "User-Agent": "errand-cli"},
	} {
		if status, answer := request(t, server, http.MethodGet, "/api/audit", "", header); status != http.StatusOK {
			t.Fatalf("by %s: %d %s", door, status, answer)
		}
		by, err := m.ActorOf(t.Context(), "owner")
		if err != nil {
			t.Fatal(err)
		}
		if m.asks.Reads = ""; m.asks != by.Through(door) {
			t.Errorf("by %s comes %+v", door, m.asks)
		}
	}
}
