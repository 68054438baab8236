package web

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/ops"
	"errand/internal/service"
)

// TestProblems proves that whatever the API refuses is answered with problem
// details, wherever it is refused, and that they carry the error with its code.
func TestProblems(t *testing.T) {
	page := map[string]string{"Accept": "text/html"}
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		code, message            string // the message is a part
	}{
		{name: "what makes no sense", method: "GET", path: "/api/tasks?limit=x", status: 400, code: "limit", message: "from 1 to 1000"},
		{name: "no JSON", method: "POST", path: "/api/tasks/t-1/cancel", body: "x", status: 400, code: "json", message: "not the expected JSON"},
		{name: "too large", method: "POST", path: "/api/tasks/t-1/cancel", body: strings.Repeat("x", maxBody+1), status: 413, code: "too_large", message: "larger than 1 MB"},
		{name: "a stranger", method: "GET", path: "/api/tasks", header: nobody, status: 401, code: "token", message: "errand open"},
		{name: "a role that is not enough", method: "GET", path: "/api/people", header: map[string]string{"Authorization": "Bearer token-p-mia"}, status: 403, code: "forbidden"},
		{name: "another name", method: "GET", path: "/api/tasks", header: map[string]string{"Host": "evil.example"}, status: 403, code: "host", message: "evil.example"},
		{name: "another site", method: "POST", path: "/api/pause", header: map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, status: 403, code: "origin", message: "other sites"},
		{name: "what the backend refuses", method: "GET", path: "/api/tasks/t-9", status: 404, code: "not_found", message: "no task t-9"},
		{name: "no such route", method: "GET", path: "/api/nothing", status: 404, code: "not_found", message: "there is no GET /api/nothing"},
		{name: "no such method", method: "PUT", path: "/api/tasks", status: 404, code: "not_found", message: "there is no PUT /api/tasks"},
		{name: "to a browser too", method: "GET", path: "/api/nothing", header: page, status: 404, code: "not_found", message: "there is no"},
		{name: "no such page, for a program", method: "GET", path: "/nothing", status: 404, code: "not_found", message: "no page"},
		{name: "a link that is spent", method: "POST", path: "/login/link", body: `{"link":"x"}`, status: 401},
		{name: "too fast", method: "POST", path: "/api/sessions/main/reset", status: 429, code: "too_fast", message: "slow down"},
		{name: "errand's own", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"a"}`, status: 500, code: "internal", message: "its log says why"},
		{name: "a panic", method: "GET", path: "/api/about", status: 500, code: "internal", message: "its log says why"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &memory{broken: errors.New("secret"), tooFast: &service.Error{Kind: service.KindTooMany, Code: "too_fast", Message: "slow down"}}
			server := serve(t, m, func(o *Options) {
				ops.Bind(o.Runner, api.GetAbout, func(context.Context, actor.Actor, api.None) (api.About, error) { panic("broken") })
			})
			resp := exchange(t, server, test.method, test.path, test.body, test.header)
			defer resp.Body.Close()
			raw, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			var got map[string]any
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatalf("%d %s: %v", resp.StatusCode, raw, err)
			}
			if kind := resp.Header.Get("Content-Type"); resp.StatusCode != test.status || kind != "application/problem+json" {
				t.Errorf("answer is %d, %s; want %d", resp.StatusCode, kind, test.status)
			}
			if members := slices.Sorted(maps.Keys(got)); !slices.Equal(members, []string{"detail", "error", "status", "title", "type"}) {
				t.Fatalf("members are %v", members)
			}
			before, _ := got["error"].(map[string]any)
			code, _ := before["code"].(string)
			message, _ := before["message"].(string)
			if len(before) != 2 || code == "" || test.code != "" && code != test.code || message == "" || !strings.Contains(message, test.message) {
				t.Errorf("the error is %v; want %q with %q", before, test.code, test.message)
			}
			if got["type"] != "urn:errand:problem:"+code || got["title"] != http.StatusText(test.status) || got["status"] != float64(test.status) || got["detail"] != message {
				t.Errorf("problem is %s", raw)
			}
		})
	}
}
