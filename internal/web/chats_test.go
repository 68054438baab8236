package web

import (
	"net/http"
	"slices"
	"strings"
	"testing"
)

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
