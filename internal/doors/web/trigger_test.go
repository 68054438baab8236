package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"errand/internal/core"
)

// TestTrigger proves that a program which waits gets the result, waits 45 s at most, and that
// a request that comes again is known by what it asks for, not by how long it waits.
func TestTrigger(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	m.tasks["t-2"] = core.Task{ID: "t-2", State: core.Completed, Agents: []core.AgentName{"sasha"}, Result: "42", Origin: core.Origin{Person: "owner"}}
	ask := func(body string) (int, string) {
		return request(t, server, http.MethodPost, "/trigger-bot", body, map[string]string{"Idempotency-Key": " k "})
	}
	if status, answer := ask(`{"agent":"sasha","task":"x","user":"Ada","messages":[{"role":"user","text":"hi"}],"wait_seconds":600}`); status != http.StatusOK || !strings.Contains(answer, `"result":"42"`) {
		t.Errorf("waited for: %d %s", status, answer)
	}
	if !slices.Contains(m.asked, "GetTask t-2 45s") {
		t.Errorf("asked %q", m.asked)
	}
	ask(`{"task":"x","agent":"sasha","user":"Ada","messages":[{"role":"user","text":"hi"}]}`)
	ask(`{"agent":"sasha","task":"y","messages":[{"role":"user","content":"hi"}]}`)
	one, again, other := m.given[0], m.given[1], m.given[2]
	if one.Key != "k" || one.Hash == "" || one.Hash != again.Hash || one.Hash == other.Hash || one.Messages[0].Who != "Ada" || other.Messages[0].Text != "hi" {
		t.Errorf("given %+v", m.given)
	}
}
