package app_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/core"
)

// expiredToken proves that a token which has expired opens no door, and that each door says so
// in words that its clients read.
func expiredToken(t *testing.T, in *installation) {
	token, _, err := in.Store.CreateToken(t.Context(), core.Token{Person: app.Owner, Kind: core.TokenAPI, Name: "brief"}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the token expires", func() bool {
		_, err := in.Service.Logins.Login(t.Context(), token)
		return err != nil
	})
	for _, door := range []struct {
		method, path, body string
		challenges         bool // by RFC 9728
	}{
		{"GET", "/api/tasks", "", false},
		{"POST", "/trigger-bot", `{"agent":"sasha","task":"x"}`, false},
		{"POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}]}`, true},
		{"POST", "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, true},
		{"POST", "/a2a/sasha", `{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`, true},
	} {
		r, err := http.NewRequestWithContext(t.Context(), door.method, "http://"+in.Address+door.path, strings.NewReader(door.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := (&http.Client{Transport: bearer(token)}).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			Error struct{ Message, Code string }
		}
		fault := json.NewDecoder(answer.Body).Decode(&said)
		answer.Body.Close()
		where := answer.Header.Get("WWW-Authenticate")
		if answer.StatusCode != http.StatusUnauthorized || fault != nil || said.Error.Message == "" || strings.HasPrefix(where, "Bearer resource_metadata=") != door.challenges {
			t.Errorf("%s %s is answered %d, %q, %+v, %v", door.method, door.path, answer.StatusCode, where, said, fault)
		}
	}
}
