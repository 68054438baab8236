package web

import (
	"encoding/json"
	"net/http"
	"testing"
)

// TestQuestionsOfAChat proves that the questions of one chat are listed, those that are
// over only when they are asked for, and that each says where it is asked.
func TestQuestionsOfAChat(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for path, state := range map[string]string{"/api/questions?chat=main": "open", "/api/questions?chat=main&all=true": "answered"} {
		status, raw := request(t, server, http.MethodGet, path, "", nil)
		var list []struct{ State, Text, Channel, Chat string }
		if err := json.Unmarshal([]byte(raw), &list); err != nil || status != http.StatusOK || len(list) != 1 {
			t.Fatalf("%s is answered %d %s (%v)", path, status, raw, err)
		}
		if q := list[0]; q.State != state || q.Text != "session/web/local/main/-/owner" || q.Channel != "web" || q.Chat != "main" {
			t.Errorf("%s lists %+v", path, q)
		}
	}
	if status, _ := request(t, server, http.MethodGet, "/api/questions?chat=main&person=*", "", nil); status != http.StatusBadRequest {
		t.Errorf("the chat of everybody is answered with HTTP %d", status)
	}
}
