package web

import (
	"strings"
	"testing"
)

// TestBadInput proves that what makes no sense is refused, in words that say
// what would.
func TestBadInput(t *testing.T) {
	long := strings.Repeat("x", 300)
	tests := []struct{ method, path, body, want string }{
		{"GET", "/api/tasks?limit=x", "", "limit must be a number from 1 to 1000"},
		{"GET", "/api/tasks?limit=0", "", "limit"},
		{"GET", "/api/tasks?limit=-1", "", "limit"},
		{"GET", "/api/tasks?limit=1001", "", "limit"},
		{"GET", "/api/tasks?limit=", "", "limit"},
		{"GET", "/api/tasks?state=done", "", "there is no state \\\"done\\\"; there are submitted, working"},
		{"GET", "/api/tasks?state=working,", "", ""},
		{"GET", "/api/tasks/%25", "", "cannot be the id of a task"},
		{"POST", "/api/tasks/t-%00/cancel", "", "cannot be the id of a task"},
		{"GET", "/api/outbox?state=lost", "", "there is no state"},
		{"GET", "/api/outbox?limit=many", "", "limit"},
		{"POST", "/api/outbox/0/retry", "", "number"},
		{"GET", "/api/sessions?state=dead", "", "there are active, suspended, ended"},
		{"GET", "/api/sessions?state=active,ended", "", "one state"},
		{"GET", "/api/sessions?limit=1e3", "", "limit"},
		{"GET", "/api/sessions?before=yesterday", "", "2026-11-21"},
		{"GET", "/api/sessions?channel=" + long, "", "at most 60"},
		{"GET", "/api/sessions/search?q=" + long, "", "at most 200"},
		{"GET", "/api/sessions/search?q=x&limit=201", "", "limit must be a number from 1 to 200"},
		{"GET", "/api/sessions/search?q=%ff", "", "not valid text"},
		{"GET", "/api/sessions/%20", "", "id of a session"},
		{"GET", "/api/sessions/5f/calls?turn=0", "", "turn must be a number from 1"},
		{"GET", "/api/sessions/5f/calls?turn=x", "", "turn must be a number from 1"},
		{"GET", "/api/sessions/5f/calls?turn=99999999999", "", "turn must be a number from 1"},
		{"POST", "/api/chats/5f", `{"seen":"x"}`, "seen"},
		{"POST", "/api/chats/5f", `{"person":"ana"}`, "person"},
		{"DELETE", "/api/sessions/abc?force=perhaps", "", "force must be true or false"},
		{"GET", "/api/usage?days=0", "", "days"},
		{"GET", "/api/reminders?all=perhaps", "", "all must be true or false"},
		{"DELETE", "/api/reminders/..%2f..", "", "id of a reminder"},
		{"GET", "/api/maintenance?limit=x", "", "limit"},
		{"GET", "/api/memory?limit=x", "", "limit"},
		{"GET", "/api/memory?agent=%ff", "", "not valid text"},
		{"GET", "/api/tasks?person=%00", "", "person is not valid text"},
		{"GET", "/api/tasks/t-1?person=%ff", "", "person is not valid text"},
		{"GET", "/api/sessions?person=%00", "", "person is not valid text"},
		{"GET", "/api/agents?chat=%00", "", "not valid text"},
		{"GET", "/api/sessions/main/events?before=9&person=%00", "", "person is not valid text"},
		{"DELETE", "/api/memory/nikki/%00", "", "key is not valid text"},
		{"DELETE", "/api/memory/%ff/tea", "", "agent is not valid text"},
		{"DELETE", "/api/people/p-mia/identities?channel=discord&external_id=%00", "", "external_id is not valid text"},
		{"POST", "/api/tasks", `[]`, "is of type array, but must be an object\",\"error"},
		{"GET", "/api/tasks?state=working&state=lost", "", "there is no state \\\"lost\\\""},
		{"GET", "/api/sessions?before=2026-11-21", "", ""},
		{"DELETE", "/api/tokens/%20", "", "id of a token"},
		{"POST", "/api/pairings/a%20b/approve", "", "is not a valid code"},
	}
	for _, test := range tests {
		t.Run(test.method+" "+test.path[:min(len(test.path), 60)], func(t *testing.T) {
			m := &memory{}
			server := serve(t, m, nil)
			want := 400
			if test.want == "" {
				want = 200
			}
			status, answer := request(t, server, test.method, test.path, test.body, nil)
			if status != want || !strings.Contains(answer, test.want) {
				t.Errorf("answer is %d %s; want %d with %q", status, answer, want, test.want)
			}
		})
	}
}
