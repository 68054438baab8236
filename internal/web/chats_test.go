package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestWaitingMessages proves that messages that wait are listed, changed and taken back by
// whose they are, in the chat of their name.
func TestWaitingMessages(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	for _, test := range []struct {
		method, path, body string
		status             int
		want               string // what the backend is asked for
	}{
		{"GET", "/api/sessions/main/waiting", "", 200, "WaitingMessages owner|main"},
		{"PUT", "/api/sessions/main/messages/a%2Fb", `{"text":"night trains"}`, 200, "EditMessage owner|main|a/b|night trains"},
		{"DELETE", "/api/sessions/main/messages/m1", "", 200, "WithdrawMessage owner|main|m1"},
		{"PUT", "/api/sessions/main/messages/m1", `{"text":1}`, 400, ""},
		{"PUT", "/api/sessions/main/messages/m1", `{"text":"x","person":"ana"}`, 400, ""},
	} {
		m.asked = nil
		status, raw := request(t, server, test.method, test.path, test.body, nil)
		if status != test.status || (test.want != "") != slices.Contains(m.asked, test.want) {
			t.Errorf("%s %s is answered %d %s, asked for was %q", test.method, test.path, status, raw, m.asked)
		}
	}
}

// TestChatChanges proves that a chat is changed by whose it is, and only in what a request
// says; and that what makes no sense is refused.
func TestChatChanges(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	for _, test := range []struct {
		body   string
		status int
		want   string // what the backend is asked for
	}{
		{`{"name":" night\n trains "}`, 200, `owner|5f|name "night trains"`},
		{`{"name":"","pinned":true}`, 200, `owner|5f|name ""|pinned true`},
		{`{"archived":false,"seen":7}`, 200, "owner|5f|archived false|seen 7"},
		{`{"name":"` + strings.Repeat("é", 80) + `"}`, 200, `owner|5f|name "` + strings.Repeat("é", 80) + `"`},
		{`{"name":"` + strings.Repeat("é", 81) + `"}`, 400, ""},
		{`{}`, 400, ""},
		{`{"seen":"x"}`, 400, ""},
		{`{"person":"ana"}`, 400, ""},
	} {
		m.asked = nil
		status, raw := request(t, server, http.MethodPost, "/api/chats/5f", test.body, nil)
		asked := slices.DeleteFunc(slices.Clone(m.asked), func(s string) bool { return !strings.HasPrefix(s, "ChangeChat ") })
		want := []string{"ChangeChat " + test.want}
		if test.want == "" {
			want = nil
		}
		if status != test.status || !slices.Equal(asked, want) {
			t.Errorf("%s is answered %d %s, asked for was %q", test.body, status, raw, asked)
		}
	}
	if status, raw := request(t, server, http.MethodGet, "/api/chats", "", nil); status != http.StatusOK || strings.TrimSpace(raw) != "[]" {
		t.Errorf("no chats are %d %s", status, raw)
	}
}
