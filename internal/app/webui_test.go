package app_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/temporal/devserver"
)

// TestWebUIIsTheOwners proves that Temporal's Web UI lets in who is logged in on
// errand's pages as one who may do everything, and sends others to log in there.
func TestWebUIIsTheOwners(t *testing.T) {
	t.Parallel()
	in := install(t, script(nil), nil, func(c *config.Config) { c.UIPort, c.Token = devserver.FreePort(t), "a token of many letters" })
	at := fmt.Sprintf("127.0.0.1:%d", in.opts.Config.UIPort)
	login := func(by actor.Actor) string {
		secret, err := in.Service.Logins.NewLogin(t.Context(), by, "browser", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	known, err := http.PostForm("http://"+in.Address+"/login", url.Values{"token": {"a token of many letters"}})
	if err != nil {
		t.Fatal(err)
	}
	known.Body.Close()
	if len(known.Cookies()) != 1 {
		t.Fatalf("a login is answered with %s and the cookies %v", known.Status, known.Cookies())
	}
	if _, err := in.Store.EnsurePerson(t.Context(), "p-paula", "Paula", core.Partner); err != nil {
		t.Fatal(err)
	}
	paula := actor.Actor{Person: "p-paula", Role: core.Partner}
	owner := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	for _, c := range []struct {
		name, cookie, host, path string
		want                     int
	}{
		{"a stranger", "", at, "/api/v1/namespaces", http.StatusUnauthorized},
		{"a stranger's page", "", at, "/namespaces/default/workflows", http.StatusSeeOther},
		{"a partner", login(paula), at, "/api/v1/namespaces", http.StatusUnauthorized},
		{"a made-up login", "x", at, "/api/v1/namespaces", http.StatusUnauthorized},
		{"the owner's page", login(owner), at, "/namespaces/default/workflows", http.StatusOK},
		{"the owner", login(owner), at, "/api/v1/namespaces", http.StatusOK},
		{"the owner by another name", login(owner), "evil.example", "/api/v1/namespaces", http.StatusForbidden},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+at+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = c.host
		if !strings.HasPrefix(c.path, "/api") {
			req.Header.Set("Accept", "text/html")
		}
		if c.cookie != "" {
			req.AddCookie(&http.Cookie{Name: known.Cookies()[0].Name, Value: c.cookie})
		}
		resp, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s is answered with %d, want %d", c.name, resp.StatusCode, c.want)
		}
		if want := "http://" + in.Address + "/login.html"; c.want == http.StatusSeeOther && resp.Header.Get("Location") != want {
			t.Errorf("%s is sent to %q, want %q", c.name, resp.Header.Get("Location"), want)
		}
	}
}
