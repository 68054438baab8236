package web

import (
	"net/http"
	"strings"
	"testing"
)

// TestPeople proves what an administrator's requests come to.
func TestPeople(t *testing.T) {
	tests := []struct {
		name, method, path, body string
		status                   int
		want, asked              string
	}{
		{"another role", "POST", "/api/people/p-mia", `{"role":"Partner"}`, 200, `"role":"partner"`, ""},
		{"another time zone", "POST", "/api/people/p-mia", `{"time_zone":"Europe/Oslo"}`, 200, `"time_zone":"Europe/Oslo"`, ""},
		{"all at once", "POST", "/api/people/p-mia", `{"role":"guest","language":"es","name":"Mia"}`, 200, `"name":"Mia","role":"guest","language":"es"`, ""},
		{"nobody", "POST", "/api/people/p-none", `{"role":"guest"}`, 404, "not_found", ""},
		{"removed", "DELETE", "/api/people/p-mia", "", 200, `"id":"p-mia"`, "RemovePerson p-mia"},
		{"linked", "POST", "/api/people/p-mia/identities", `{"channel":"discord","external_id":"42"}`, 200, "", "Link p-mia discord 42"},
		{"unlinked", "DELETE", "/api/people/p-mia/identities?channel=discord&external_id=42", "", 200, "", "Unlink p-mia discord 42"},
		{"a token", "POST", "/api/people/p-mia/tokens", `{"name":"script","days":1}`, 201, `"expires":"1970-01-02T00:00:00Z","token":"token-p-mia"`, ""},
		{"revoked", "DELETE", "/api/tokens/k-1", "", 200, "k-1", "RevokeToken k-1"},
		{"one's own revoked", "DELETE", "/api/me/tokens/k-1", "", 200, "k-1", "RevokeOwnToken k-1"},
		{"who asked", "GET", "/api/pairings", "", 200, "[]", "Pairings false"},
		{"who waits", "GET", "/api/pairings?waiting=true", "", 200, "[]", "Pairings true"},
		{"approved", "POST", "/api/pairings/ABCD-2345/approve", "", 200, `"role":"member"`, "Approve ABCD-2345 member"},
		{"approved with a role", "POST", "/api/pairings/AB/approve", `{"role":"guest"}`, 200, `"role":"guest"`, "Approve AB guest"},
		{"approved as somebody", "POST", "/api/pairings/AB/approve", `{"person":"p-mia"}`, 200, "", "Approve AB member p-mia"},
		{"approved as nobody", "POST", "/api/pairings/AB/approve", `{"person":"p-none"}`, 404, "not_found", ""},
		{"denied", "POST", "/api/pairings/AB/deny", "", 200, "denied", "Deny AB"},
		{"exported", "GET", "/api/sessions/5f/export", "", 200, "night trains", "Export owner|5f"},
		{"shown", "GET", "/api/sessions/5f", "", 200, `"text":"night trains"`, "Export owner|5f"},
		{"a file", "GET", "/api/artifacts/a-7k3m9q2x", "", 200, "<script>", "Artifact owner|a-7k3m9q2x"},
		{"who has files", "GET", "/api/files?person=*", "", 200, "[]", "Workspaces |100"},
		{"files", "GET", "/api/files/5f?folder=notes&after=notes/a.md&limit=5", "", 200, "[]", "Files owner|5f|notes|notes/a.md|5"},
		{"one of them", "GET", "/api/files/t-7k3m9q2x/content?path=notes/a.md&version=2", "", 200, "<script>", "OpenFile owner|t-7k3m9q2x|notes/a.md|2"},
		{"one that was sent", "GET", "/api/file-versions/17", "", 200, "<script>", "OpenFileVersion owner|17"},
		{"written", "PUT", "/api/files/5f/content?path=a.md", "to Oslo", 200, `"path":"a.md"`, "PutFile owner|5f|a.md|7"},
		{"too large", "PUT", "/api/files/5f/content?path=a.md", strings.Repeat("x", maxFile+1), 413, "a file may have 20 MB, and this one has more", ""},
		{"removed", "DELETE", "/api/files/5f/content?path=a.md", "", 200, `"path":"a.md"`, "RemoveFile owner|5f|a.md"},
		{"exported as JSON", "GET", "/api/sessions/5f/export?format=json", "", 200, `"text":"night trains"`, "Export owner|5f"},
		{"deleted", "DELETE", "/api/sessions/5f?force=true", "", 200, `"removed":{"histories":1,"messages":2}`, "DeleteSession owner|5f|true"},
		{"used", "GET", "/api/usage?days=7&person=p-mia", "", 200, `"total":{"calls":3,"cost":0.5,`, "Usage p-mia"},
		{"a reminder canceled", "DELETE", "/api/reminders/r-1", "", 200, "", "CancelReminder owner|r-1"},
		{"reminders, those that are over too", "GET", "/api/reminders?all", "", 200, "[]", "Reminders owner|true"},
		{"what maintenance did", "GET", "/api/maintenance", "", 200, `"report":{"messages":120}`, ""},
		{"who did what", "GET", "/api/audit?person=p-mia&deed=tokens,people.role&of=k-1&since=1970-01-02&before=9&limit=5", "", 200, `"deed":"tasks.cancel"`, "Audit p-mia|tokens people.role|k-1|86400|9|5"},
		{"of a day that is none", "GET", "/api/audit?since=soon", "", 400, "since", ""},
		{"maintenance now", "POST", "/api/maintenance/run", "", 202, `"started":true`, "RunMaintenance owner"},
		{"notes", "GET", "/api/memory?agent=Nikki&prefix=home/&person=*", "", 200, "[]", "Notes |nikki|home/|1000"},
		{"a note forgotten", "DELETE", "/api/memory/nikki/home%2Fcity", "", 200, `"key":"home/city"`, "ForgetNote |nikki|home/city"},
		{"another's forgotten", "DELETE", "/api/memory/nikki/home%20%26?person=p-mia", "", 200, "", "ForgetNote p-mia|nikki|home &"},
		{"filtered", "GET", "/api/sessions?channel=web&agent=Sasha&state=ended&limit=5&person=*", "", 200, "[]", "Sessions |web|sasha|ended|5"},
		{"of one chat, with its plan", "GET", "/api/sessions?chat=trip&limit=1", "", 200,
			`"plan":{"agent":"nikki","turn":3,"items":[{"text":"in session/web/local/trip/-/owner","state":"doing"}]}`, "Sessions owner||||1"},
		{"of one chat of somebody's", "GET", "/api/sessions?chat=trip&person=p-mia", "", 200, `/trip/-/p-mia"`, "Sessions p-mia||||100"},
		{"of one chat of everybody's", "GET", "/api/sessions?chat=trip&person=*", "", 400, "say whose", ""},
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
		"/api/files/5f/content?path=f.html": {"text/html", "attachment; filename*=utf-8''f%22%C3%BC%20.html"},
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
