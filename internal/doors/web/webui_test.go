package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestWebUILink proves that who may do everything is linked to Temporal's Web UI
// under the name by which they are here, so that their cookie lets them in there.
func TestWebUILink(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) { o.PublicURL = "https://errand.example" })
	for host, want := range map[string]string{
		"localhost:8080": `"web_ui":"http://localhost:8233"`,
		"127.0.0.1:8080": `"web_ui":"http://127.0.0.1:8233"`,
		"127.8.8.8":      `"web_ui":"http://127.8.8.8:8233"`,
		"[::1]:8080":     `"web_ui":"http://[::1]:8233"`,
		"errand.example": `"web_ui":""`, // it is on this machine only
	} {
		for _, path := range []string{"/api/about", "/api/sessions/main/opening"} {
			_, answer := request(t, server, "GET", path, "", map[string]string{"Host": host, "Authorization": "Bearer token-owner"})
			if !strings.Contains(answer, want) {
				t.Errorf("at %s the owner is told %s, want %s", host, answer, want)
			}
		}
	}
}

// TestIsMasterAdmin proves that another server on this machine is told who may do
// everything by the same logins, and that no lesser role is enough.
func TestIsMasterAdmin(t *testing.T) {
	m := &memory{}
	serve(t, m, nil)
	s, err := New(Options{MayUse: m.MayUse, CheckRate: m.CheckRate, Logins: m, Runner: m.runner(), Ready: m.Ready, Person: "owner", Installation: "test", Token: "the installation's token"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, header, value string
		want                bool
	}{
		{"the owner's cookie", "Cookie", testCookie + "=token-owner", true},
		{"the owner's token", "Authorization", "Bearer token-owner", true},
		{"the installation's token", "Authorization", "Bearer the installation's token", true},
		{"a partner's cookie", "Cookie", testCookie + "=token-p-pat", false},
		{"a member's cookie", "Cookie", testCookie + "=token-p-mia", false},
		{"nobody's cookie", "Cookie", testCookie + "=x", false},
		{"nobody's token, the owner's cookie", "Authorization", "Bearer x", false},
		{"nothing", "X-Nothing", "", false},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8233/", nil)
		r.Header.Set(c.header, c.value)
		if strings.HasSuffix(c.name, "the owner's cookie") {
			r.Header.Add("Cookie", testCookie+"=token-owner")
		}
		if got := s.IsMasterAdmin(r); got != c.want {
			t.Errorf("%s: IsMasterAdmin = %v, want %v", c.name, got, c.want)
		}
	}
}
