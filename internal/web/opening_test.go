package web

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

type without struct {
	*memory
	routes string
}

func (b without) MayUse(by service.Actor, k rights.Kind, name string) error {
	if strings.Contains(b.routes, name+";") {
		return errors.New("not " + name)
	}
	return b.memory.MayUse(by, k, name)
}

// TestOpening proves that one answer has what a page would read in nine, for who asks; and
// nothing that they may not read by itself.
func TestOpening(t *testing.T) {
	m := &memory{log: []errand.Event{{ID: 1, Type: errand.EventMessage, Text: "hello"}, {ID: 2, Type: errand.EventReply, Text: "good evening"}}}
	read := func(routes string) (all map[string]any) {
		t.Helper()
		server := serve(t, m, func(o *Options) { o.Backend = without{m, routes} })
		status, raw := request(t, server, "GET", "/api/sessions/main/opening", "", map[string]string{"Authorization": "Bearer token-p-mia"})
		if err := json.Unmarshal([]byte(raw), &all); err != nil || status != http.StatusOK {
			t.Fatal(status, raw, err)
		}
		return all
	}
	all := read("")
	for part, want := range map[string]string{"me": "p-mia", "about": "roles", "events": "good evening", "agents": "nikki", "chats": "[]", "waiting": `"state":"open"`, "questions": `"state":"answered"`, "session": `"turns":3`} {
		if got, err := json.Marshal(all[part]); err != nil || !strings.Contains(string(got), want) {
			t.Errorf("%s is %s, want %s in it", part, got, want)
		}
	}
	all = read("GET /api/agents;GET /api/questions;GET /api/sessions;GET /api/chats;")
	for _, part := range []string{"agents", "chats", "waiting", "questions"} {
		if list, ok := all[part].([]any); !ok || len(list) > 0 {
			t.Errorf("%s is %v, and nobody may read it", part, all[part])
		}
	}
	if all["session"] != nil || len(all["events"].([]any)) != 2 {
		t.Errorf("it is %v", all)
	}
	server := serve(t, m, func(o *Options) { o.Backend = without{m, "GET /api/sessions/{chat}/opening;"} })
	if status, _ := request(t, server, "GET", "/api/sessions/main/opening", "", nil); status == http.StatusOK {
		t.Error("it is answered to who may not")
	}
	if status, answer := request(t, server, "GET", "/api/sessions/%2e%2e%2f/opening", "", map[string]string{"Authorization": ""}); status != http.StatusUnauthorized {
		t.Errorf("for nobody: %d %s", status, answer)
	}
}
