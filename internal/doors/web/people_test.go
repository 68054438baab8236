package web

import (
	"net/http"
	"strings"
	"testing"

	"errand/internal/core"
)

// TestPeople proves what an administrator's requests come to.
func TestPeople(t *testing.T) {
	tests := []struct {
		name, method, path, body string
		status                   int
		want, asked              string
	}{
		{"another role", "POST", "/api/people/p-mia", `{"role":"partner"}`, 200, `"role":"partner"`, ""},
		{"removed", "DELETE", "/api/people/p-mia", "", 200, `"id":"p-mia"`, ""},
		{"unlinked", "DELETE", "/api/people/p-mia/identities?channel=discord&external_id=42", "", 200, "", "RemoveIdentity p-mia discord  42"},
		{"a token", "POST", "/api/people/p-mia/tokens", `{"name":"script","days":1}`, 201, `"name":"script","created":"0001-01-01T00:00:00Z","token":"token-p-mia"`, ""},
		{"revoked", "DELETE", "/api/tokens/k-1", "", 200, `{"id":"k-1"}`, ""},
		{"who asked", "GET", "/api/pairings", "", 200, "[]", "Pairings false"},
		{"who waits", "GET", "/api/pairings?waiting=true", "", 200, "[]", "Pairings true"},
		{"denied", "POST", "/api/pairings/AB-1/deny", "", 200, `"code":"AB-1"`, ""},
		{"exported", "GET", "/api/sessions/5f/export", "", 200, "night trains", "ExportSession owner|5f|"},
		{"shown", "GET", "/api/sessions/5f", "", 200, `"text":"night trains"`, "GetSession owner|5f"},
		{"the calls of a turn", "GET", "/api/sessions/5f/calls?turn=3", "", 200, `"tool":"web_search"`, "ListCalls owner|5f|3"},
		{"opened", "GET", "/api/sessions/main/opening", "", 200, `"about":`, "OpenChat owner|main|token"},
		{"the chats", "GET", "/api/chats", "", 200, "[]", ""},
		{"a chat", "POST", "/api/chats/5f", `{"name":"trip","seen":7}`, 200, `{"session_id":"5f"}`, "ChangeChat owner|5f|trip|7"},
		{"a file", "GET", "/api/artifacts/a-7k3m9q2x", "", 200, "<script>", "GetArtifact owner|a-7k3m9q2x"},
		{"who has files", "GET", "/api/files?person=*", "", 200, "[]", "Workspaces *|100"},
		{"files", "GET", "/api/files/5f?folder=notes&after=notes/a.md&limit=5", "", 200, "[]", "Files owner|5f|notes|notes/a.md|5"},
		{"one of them", "GET", "/api/files/t-7k3m9q2x/content?path=notes/a.md&version=2", "", 200, "<script>", "GetFile owner|t-7k3m9q2x|notes/a.md|2"},
		{"one that was sent", "GET", "/api/file-versions/17", "", 200, "<script>", "GetFileVersion owner|17"},
		{"written", "PUT", "/api/files/5f/content?path=a.md", "to Oslo", 200, `"path":"a.md"`, "PutFile owner|5f|a.md|7"},
		{"too large", "PUT", "/api/files/5f/content?path=a.md", strings.Repeat("x", core.MaxFile+1), 413, "a file can have 20 MB, and this one is larger", ""},
		{"removed", "DELETE", "/api/files/5f/content?path=a.md", "", 200, `"path":"a.md"`, "DeleteFile owner|5f|a.md"},
		{"exported as JSON", "GET", "/api/sessions/5f/export?format=json", "", 200, "night trains", "ExportSession owner|5f|json"},
		{"deleted", "DELETE", "/api/sessions/5f?force=true", "", 200, `"removed":{"messages":2}`, "DeleteSession owner|5f|true"},
		{"who did what", "GET", "/api/audit?person=p-mia&deed=tokens,people.role&of=k-1&since=1970-01-02&before=9&limit=5", "", 200, `"id":7`, "Audit p-mia|tokens,people.role|k-1|86400|9|5"},
		{"used", "GET", "/api/usage?days=7&person=p-mia", "", 200, `"total":{"calls":0,`, "Usage p-mia 7"},
		{"of a day that is none", "GET", "/api/audit?since=soon", "", 400, "since", ""},
		{"maintenance now", "POST", "/api/maintenance/run", "", 202, `"started":true`, ""},
		{"a note forgotten, with a slash in its key", "DELETE", "/api/memory/nikki/home%2Fcity", "", 200, `"key":"home/city"`, ""},
		{"filtered", "GET", "/api/sessions?channel=web&agent=sasha&state=ended&limit=5&person=*", "", 200, "[]", "ListSessions |web|sasha|ended|5"},
		{"of one chat, with its plan", "GET", "/api/sessions?chat=trip&limit=1", "", 200,
			`"plan":{"agent":"nikki","turn":3,"items":[{"text":"in trip","state":"doing"}]}`, "ListSessions owner||||1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := &memory{}
			server := serve(t, m, nil)
			status, answer := request(t, server, test.method, test.path, test.body, nil)
			if status != test.status || !strings.Contains(answer, test.want) {
				t.Errorf("answer is %d %s; want %d with %s", status, answer, test.status, test.want)
			}
			if test.asked != "" && !m.was(test.asked) {
				t.Errorf("the backend was asked %q, want %q", m.asked, test.asked)
			}
		})
	}
}

// TestFileOfSomebody proves that a file that somebody sent is saved, and never
// shown as a page of errand's.
func TestFileOfSomebody(t *testing.T) {
	for path, want := range map[string][2]string{
		"/api/artifacts/a-7k3m9q2x":         {"text/html", "attachment; filename*=utf-8''f%22%C3%BC.html"},
		"/api/files/5f/content?path=f.html": {"text/html", "attachment; filename*=utf-8''f%22%C3%BC.html"},
		"/api/file-versions/17":             {"image/svg+xml", "attachment; filename=a.svg"},
	} {
		m := &memory{}
		server := serve(t, m, nil)
		req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+testKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		for name, want := range map[string]string{
			"Content-Type": want[0], "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "sandbox; default-src 'none'",
			"Content-Disposition": want[1], "Content-Length": "25",
		} {
			if got := resp.Header.Get(name); got != want {
				t.Errorf("%s of %s: %q, want %q", name, path, got, want)
			}
		}
	}
}
