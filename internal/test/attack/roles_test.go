package attack

import (
	"net/http"
	"testing"
)

// TestOthersThings proves that a guest and a member get nothing of the owner's, and
// no more rights than they have.
func TestOthersThings(t *testing.T) {
	for _, v := range []visitor{here.guest, here.member} {
		for _, try := range []struct{ method, path, body string }{
			{"GET", "/api/people", ""},
			{"GET", "/api/people/owner/tokens", ""},
			{"POST", "/api/people/owner/tokens", `{"name":"x","days":0}`},
			{"POST", "/api/people/p-guest", `{"role":"master_admin"}`},
			{"GET", "/api/sessions?person=owner", ""},
			{"GET", "/api/sessions/main/events?person=owner&after=0", ""},
			{"POST", "/api/pause", "{}"},
			{"GET", "/metrics", ""},
		} {
			if got := v.ask(t, try.method, try.path, try.body); got.status != http.StatusForbidden {
				t.Errorf("%s: %s %s is answered with %d %s", v.name, try.method, try.path, got.status, got.body)
			}
		}
	}
}
