package web

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

var testCookie = (&Server{Options: Options{Installation: "test"}}).cookieName()

func post(t *testing.T, base, path, contentType, body, cookie string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Accept-Language", "es-MX,es;q=0.9")
	if cookie != "" {
		req.AddCookie(&http.Cookie{Name: testCookie, Value: cookie})
	}
	req.Header.Set("Accept", "text/html")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp
}

func login(t *testing.T, base, token, cookie string) *http.Response {
	t.Helper()
	return post(t, base, "/login", "application/x-www-form-urlencoded", url.Values{"token": {token}}.Encode(), cookie)
}

// TestLogin proves that a token logs in whoever's it is, that the browser gets a
// login of its own and keeps it to itself, and that logging out ends it.
func TestLogin(t *testing.T) {
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Token = "secret" })
	for token, who := range map[string]string{"secret": "owner", "token-p-mia": "p-mia", " token-p-pat\n": "p-pat"} {
		resp := login(t, server.URL, token, "")
		if len(resp.Cookies()) != 1 || resp.Header.Get("Location") != "/" {
			t.Fatalf("login with %q: %s, %v", token, resp.Status, resp.Header)
		}
		c := resp.Cookies()[0]
		if c.Value == strings.TrimSpace(token) || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Secure || c.MaxAge <= 0 {
			t.Errorf("the cookie is %v", c)
		}
		if _, answer := request(t, server, "GET", "/api/me", "", map[string]string{"Cookie": testCookie + "=" + c.Value}); !strings.Contains(answer, `"id":"`+who+`"`) {
			t.Errorf("logged in with %q one is %s", token, answer)
		}
		out := post(t, server.URL, "/logout", "application/json", "", c.Value)
		if gone := out.Cookies(); len(gone) != 1 || gone[0].MaxAge >= 0 {
			t.Errorf("the cookie stays: %v", gone)
		}
		if status, _ := request(t, server, "GET", "/api/me", "", map[string]string{"Cookie": testCookie + "=" + c.Value}); status != http.StatusUnauthorized {
			t.Errorf("logged out, the answer is %d", status)
		}
	}
	if resp := login(t, server.URL, "wrong", ""); len(resp.Cookies()) != 0 || resp.Header.Get("Location") != "/login.html?wrong" {
		t.Errorf("a wrong token: %s, %v", resp.Status, resp.Header)
	}
	if resp := login(t, server.URL, "", ""); len(resp.Cookies()) != 0 {
		t.Errorf("no token: %s, %v", resp.Status, resp.Header)
	}
}

// TestLoginElsewhere proves that another site cannot log anybody in or out.
func TestLoginElsewhere(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for _, path := range []string{"/login", "/login/ask", "/logout"} {
		status, _ := request(t, server, "POST", path, `{"name":"Eve"}`, map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"})
		if status != http.StatusForbidden {
			t.Errorf("%s from another site is %d", path, status)
		}
	}
}

// TestSecureUnderTLS proves that a login made under TLS is never sent without.
func TestSecureUnderTLS(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) { o.Trusted = netip.Addr.IsLoopback })
	req, err := http.NewRequestWithContext(t.Context(), "POST", server.URL+"/login/ask", strings.NewReader(`{"name":"Ada"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-Proto", "https")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if c := resp.Cookies(); len(c) != 1 || !c[0].Secure {
		t.Errorf("the cookie is %v", c)
	}
}

// TestAsk proves that who asks to be let in is nobody until an administrator
// says so, on this machine too, and then is let in by what they have.
func TestAsk(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	resp := post(t, server.URL, "/login/ask", "application/json", `{"name":"Ada"}`, "")
	if resp.StatusCode != http.StatusCreated || len(resp.Cookies()) != 1 || !m.was("AskLogin Ada es-MX 127.0.0.1") {
		t.Fatalf("asked: %s, %v, %v", resp.Status, resp.Cookies(), m.asked)
	}
	cookie := map[string]string{"Cookie": testCookie + "=" + resp.Cookies()[0].Value}
	states := func(want string) {
		t.Helper()
		if _, answer := request(t, server, "GET", "/login/state", "", cookie); !strings.Contains(answer, want) {
			t.Errorf("the state is %s, want %s", answer, want)
		}
	}
	states(`"state":"pending"`)
	if status, answer := request(t, server, "GET", "/api/me", "", cookie); status != http.StatusUnauthorized {
		t.Errorf("before they are let in, they are %s", answer)
	}
	m.mu.Lock()
	m.people["p-ada"] = m.people["p-mia"]
	m.logins["secret-Ada"] = "p-ada"
	m.mu.Unlock()
	states(`"state":"approved"`)
	if status, answer := request(t, server, "GET", "/api/me", "", cookie); status != http.StatusOK {
		t.Errorf("let in, the answer is %s", answer)
	}
	m.mu.Lock()
	delete(m.logins, "secret-Ada")
	m.asking["secret-Ada"] = "denied"
	m.mu.Unlock()
	states(`"state":"denied"`)
	cookie = nobody
	states(`"state":"none"`)
	cookie = map[string]string{"Cookie": testCookie + "=made-up"}
	states(`"state":"none"`)
	if resp := post(t, server.URL, "/login/ask", "application/json", `{"name":""}`, ""); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("without a name: %s", resp.Status)
	}
}

// TestAskingEndsLogin proves that a browser which asks for another login does
// not leave the one it had behind.
func TestAskingEndsLogin(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	post(t, server.URL, "/login/ask", "application/json", `{"name":"Ada"}`, "token-p-mia")
	if status, _ := request(t, server, "GET", "/api/me", "", map[string]string{"Cookie": testCookie + "=token-p-mia"}); status != http.StatusUnauthorized {
		t.Errorf("the login before is worth %d", status)
	}
}

// TestTooOften proves that guessing tokens and flooding with requests to be let
// in are slowed down, for one address and not for others.
func TestTooOften(t *testing.T) {
	server := serve(t, &memory{}, nil)
	last := 0
	for range 12 {
		last = login(t, server.URL, "wrong", "").StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the twelfth wrong token is answered with %d", last)
	}
	for i := range 7 {
		last = post(t, server.URL, "/login/ask", "application/json", fmt.Sprintf(`{"name":"n%d"}`, i), "").StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the seventh request to be let in is answered with %d", last)
	}
	behind := serve(t, &memory{}, func(o *Options) { o.Trusted = netip.Addr.IsLoopback })
	for i := range 60 {
		from := map[string]string{"Content-Type": "application/json", "X-Forwarded-For": fmt.Sprintf("203.0.113.%d", i)}
		if status, _ := request(t, behind, "POST", "/login/ask", fmt.Sprintf(`{"name":"a%d"}`, i), from); status != http.StatusCreated {
			t.Fatalf("the first request of address %d is answered with %d", i, status)
		}
	}
	t.Run("guessing the owner's token", testGuessing)
	g := Options{}.newAddressLimit("x", time.Hour, 1)
	from := func(ip string) bool {
		s := &Server{Options: Options{Trusted: func(netip.Addr) bool { return false }}}
		return g.allow(s.address(&http.Request{RemoteAddr: net.JoinHostPort(ip, "1")}))
	}
	if !from("192.0.2.1") || from("192.0.2.1") || !from("192.0.2.2") || !from("2001:db8::1") || from("2001:db8::2") || !from("2001:db8:0:1::1") {
		t.Error("addresses are not told apart, or too well")
	}
	for i := range 2 * mostAddresses {
		g.allow(fmt.Sprintf("10.0.%d.%d", i/256, i%256))
	}
	if g.limiter.Len() > mostAddresses {
		t.Errorf("%d addresses are remembered", g.limiter.Len())
	}
}

// testGuessing proves that a short token of the installation cannot be tried
// without end, from however many addresses, that this keeps nobody out whose
// secret cannot be guessed, and that who asks through a proxy counts for
// themselves.
func testGuessing(t *testing.T) {
	const long = "sixteen letters!"
	as := func(server *httptest.Server, token, by string) int {
		status, _ := request(t, server, "GET", "/api/me", "", map[string]string{"Authorization": "Bearer " + token, "X-Forwarded-For": by})
		return status
	}
	for _, test := range []struct {
		token   string // ERRAND_TOKEN
		trusted bool   // the proxy is
		guesses func(i int) (by string)
		right   string
		by      string
		want    int
	}{
		{"secret", true, func(int) string { return "203.0.113.9" }, "secret", "203.0.113.9", 429},
		{"secret", true, func(int) string { return "203.0.113.9" }, "secret", "192.0.2.7", 200},
		{"secret", true, func(int) string { return "198.51.100.1, 203.0.113.9" }, "secret", "198.51.100.1", 200},
		{"secret", true, func(i int) string { return fmt.Sprintf("203.0.%d.9, 10.0.0.1, 127.0.0.1", i) }, "secret", "192.0.2.7, 10.0.0.1", 429},
		{"secret", false, func(i int) string { return fmt.Sprintf("203.0.113.%d", i) }, "secret", "192.0.2.7", 429},
		{"secret", true, func(i int) string { return fmt.Sprintf("2001:db8:%x::1", i) }, "secret", "192.0.2.7", 429},
		{long, true, func(int) string { return "203.0.113.9" }, long, "203.0.113.9", 200},
		{"secret", true, func(int) string { return "203.0.113.9" }, testKey, "203.0.113.9", 200},
		{"secret", true, func(int) string { return "203.0.113.9" }, "token-p-mia", "203.0.113.9", 200},
		{"secret", true, func(int) string { return "203.0.113.9" }, "guess", "203.0.113.9", 429},
	} {
		server := serve(t, &memory{}, func(o *Options) {
			if o.Token = test.token; test.trusted {
				o.Trusted = netip.Addr.IsLoopback
			}
		})
		for i := range 330 {
			as(server, fmt.Sprintf("guess%d", i), test.guesses(i))
		}
		if got := as(server, test.right, test.by); got != test.want {
			t.Errorf("after guesses from %s, %q from %s is answered with %d, want %d", test.guesses(0), test.right, test.by, got, test.want)
		}
		if resp := login(t, server.URL, testKey, ""); len(resp.Cookies()) != 1 {
			t.Errorf("after guesses the owner cannot log in: %s", resp.Status)
		}
	}
}

// TestTwoInstallations proves that the cookies of two installations on one host do
// not end each other's logins, and that nobody is made somebody else by a cookie that
// another program set.
func TestTwoInstallations(t *testing.T) {
	server := serve(t, &memory{}, nil)
	other := (&Server{Options: Options{Installation: "another"}}).cookieName()
	if other == testCookie {
		t.Fatal("two installations have one cookie")
	}
	for cookies, want := range map[string]string{
		other + "=x; " + testCookie + "=token-p-mia":                "p-mia",
		testCookie + "=x; " + testCookie + "=token-p-mia":           "p-mia",
		testCookie + "=token-p-mia; " + testCookie + "=x":           "p-mia",
		testCookie + "=token-p-gus; " + testCookie + "=token-p-mia": "two people",
		testCookie + "=": "errand open",
	} {
		if _, answer := request(t, server, "GET", "/api/me", "", map[string]string{"Cookie": cookies}); !strings.Contains(answer, want) {
			t.Errorf("with %s one is %s, want %s", cookies, answer, want)
		}
	}
}

// TestLink proves that a link logs a browser in once, as whoever made it, and that
// its page is never kept.
func TestLink(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) {
		o.Addresses = func() []string { return []string{"http://box:8080"} }
	})
	_, answer := request(t, server, "POST", "/api/me/link", "{}", map[string]string{"Authorization": "Bearer token-p-mia"})
	_, link, ok := strings.Cut(answer, `"path":"/open#`)
	if link, _, _ = strings.Cut(link, `"`); !ok {
		t.Fatalf("the link is %s", answer)
	}
	if !strings.Contains(answer, `"addresses":["http://box:8080"]`) {
		t.Errorf("where other machines open it is not said: %s", answer)
	}
	if status, _ := request(t, server, "GET", "/api/me", "", map[string]string{"Authorization": "Bearer " + link}); status != http.StatusUnauthorized {
		t.Errorf("as a token the link is answered with %d", status)
	}
	resp := post(t, server.URL, "/login/link", "application/json", `{"link":"`+link+`"}`, "")
	if len(resp.Cookies()) != 1 {
		t.Fatalf("the link is answered with %s", resp.Status)
	}
	if _, answer := request(t, server, "GET", "/api/me", "", map[string]string{"Cookie": testCookie + "=" + resp.Cookies()[0].Value}); !strings.Contains(answer, "p-mia") {
		t.Errorf("logged in by the link one is %s", answer)
	}
	for _, again := range []string{link, "", "made-up"} {
		if resp := post(t, server.URL, "/login/link", "application/json", `{"link":"`+again+`"}`, ""); resp.StatusCode != http.StatusUnauthorized || len(resp.Cookies()) != 0 {
			t.Errorf("%q is answered with %s", again, resp.Status)
		}
	}
	if status, _ := request(t, server, "POST", "/api/me/link", "{}", nobody); status != http.StatusUnauthorized {
		t.Errorf("a stranger's request for a link is answered with %d", status)
	}
}
