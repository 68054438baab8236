package web

import (
	"slices"
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
		{"GET", "/api/sessions/main/messages/a%2Fb/changes", "", 200, "ListTurnChanges owner|main|a/b"},
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
