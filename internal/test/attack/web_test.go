package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

const newToken = "/api/people/owner/tokens"

// proxied are headers that proxies add, and those who would like to be taken for
// one. None of them makes anybody the owner, nor does leaving them out.
var proxied = []string{
	"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded-Proto", "X-Forwarded-Server", "X-Forwarded-Ssl",
	"X-Real-Ip", "X-Client-Ip", "True-Client-Ip", "Cf-Connecting-Ip", "Cf-Ray", "Fly-Client-Ip", "Tailscale-User-Login", "Cdn-Loop", "Remote-User", "X-Remote-User",
}

// TestAddressMakesNobodyTheOwner proves that a neighbour on the machine who shows
// nothing, or something empty, is a stranger on every route.
func TestAddressMakesNobodyTheOwner(t *testing.T) {
	login := here.neighbour.ask(t, "POST", "/login", "token="+here.Key(), "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, ok := strings.Cut(login.header.Get("Set-Cookie"), "=")
	if login.status != http.StatusOK || !ok {
		t.Fatalf("a login is answered with %d %s", login.status, login.body)
	}
	tries := [][]string{
		nil, {"Authorization", ""}, {"Authorization", "Bearer"}, {"Authorization", "Bearer "}, {"Authorization", "Basic b3duZXI6"},
		{"Cookie", cookie + "="}, {"Cookie", cookie}, {"Cookie", cookie + "=x"}, {"Authorization", "", "Authorization", "Bearer x"},
		{"Authorization", "Bearer errand_owner_"}, {"Host", "localhost"},
	}
	for _, name := range proxied {
		for _, value := range []string{"", "127.0.0.1", "owner", "for=127.0.0.1;proto=https"} {
			tries = append(tries, []string{name, value})
		}
	}
	for _, header := range tries {
		got := here.neighbour.ask(t, "POST", newToken, `{"name":"x","days":0}`, header...)
		if got.status != http.StatusUnauthorized || !strings.Contains(got.body, `"code":"token"`) {
			t.Errorf("with %q: %d %s", header, got.status, got.body)
		}
	}
	for _, path := range []string{"/api/me", "/api/about", "/api/agents", "/api/tasks", "/api/people", "/api/sessions/main/events", "/metrics", "/tasks", "/", "/index.html", "/api/openapi.json"} {
		if got := here.neighbour.ask(t, "GET", path, ""); got.status != http.StatusUnauthorized {
			t.Errorf("GET %s: %d", path, got.status)
		}
		got := here.neighbour.ask(t, "GET", path, "", "Accept", "text/html")
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/login.html" {
			t.Errorf("the page %s: %d, to %s", path, got.status, got.header.Get("Location"))
		}
	}
	if got := here.neighbour.ask(t, "GET", "/login.html", ""); !strings.Contains(got.body, "starter open") {
		t.Errorf("the log-in page does not say how the owner gets in: %s", got.body)
	}
	if got := here.owner.ask(t, "GET", "/api/me", ""); got.status != http.StatusOK || !strings.Contains(got.body, `"id":"owner"`) {
		t.Errorf("the owner is answered with %d %s", got.status, got.body)
	}
}

// TestLink proves that the link of the terminal logs one browser in and is worth
// nothing afterwards, and that neither it nor the key is in the log.
func TestLink(t *testing.T) {
	_, link, ok := strings.Cut(here.out.String(), "/open#")
	link, _, _ = strings.Cut(link, "\n")
	if !ok || link == "" {
		t.Fatalf("the terminal shows no link:\n%s", here.out)
	}
	body := `{"link":"` + link + `"}`
	if got := (visitor{"a thief", "Bearer " + link}).ask(t, "GET", "/api/me", ""); got.status != http.StatusUnauthorized {
		t.Errorf("as a token the link is answered with %d", got.status)
	}
	if got := here.neighbour.ask(t, "POST", "/login/link", body, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"); got.status != http.StatusForbidden {
		t.Errorf("from another site: %d", got.status)
	}
	if got := here.neighbour.ask(t, "GET", "/open", "", "Accept", "text/html"); got.status != http.StatusOK || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("the page of links: %d %v", got.status, got.header)
	}
	got := here.neighbour.ask(t, "POST", "/login/link", body)
	cookie := got.header.Get("Set-Cookie")
	if got.status != http.StatusOK || !strings.Contains(cookie, "HttpOnly") || !strings.Contains(cookie, "SameSite=Strict") {
		t.Fatalf("the link is answered with %d %s, cookie %s", got.status, got.body, cookie)
	}
	cookie, _, _ = strings.Cut(cookie, ";")
	if got := here.neighbour.ask(t, "GET", "/api/me", "", "Cookie", cookie); !strings.Contains(got.body, `"id":"owner"`) {
		t.Errorf("the browser is %s", got.body)
	}
	if got := here.neighbour.ask(t, "POST", "/login/link", body); got.status != http.StatusUnauthorized {
		t.Errorf("a second time: %d %s", got.status, got.body)
	}
	for what, secret := range map[string]string{"link": link, "key": here.Key(), "token": here.cfg.Token.Reveal()} {
		if strings.Contains(here.log.String(), secret) {
			t.Errorf("the %s is in the log", what)
		}
	}
	if strings.Contains(here.out.String(), here.Key()) {
		t.Error("the key is at the terminal")
	}
}

// TestOtherNames proves that the installation answers only by names that nobody
// else can have bound to its address.
func TestOtherNames(t *testing.T) {
	_, port, _ := strings.Cut(here.Address, ":")
	for _, host := range []string{
		"evil.example", "evil.example:" + port, "localhost.", "localhost.evil.example", "127.0.0.1.nip.io", "127.0.0.1.", "2130706433", "0x7f000001", "0177.0.0.1", "127.1",
		"errand.example.org.", "errand.example.org.evil.example", "xerrand.example.org", "[::1].evil", "localhost@evil.example",
	} {
		if got := here.owner.ask(t, "GET", "/api/me", "", "Host", host); got.status/100 != 4 {
			t.Errorf("called %s: %d", host, got.status)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1:" + port, "[::1]:" + port, "errand.example.org", "ERRAND.example.org:443"} {
		if got := here.owner.ask(t, "GET", "/api/me", "", "Host", host); got.status != http.StatusOK {
			t.Errorf("called %s: %d %s", host, got.status, got.body)
		}
	}
}

// TestOtherSites proves that pages of others, and of other ports of this machine,
// neither change nor read anything.
func TestOtherSites(t *testing.T) {
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site", "Origin", "null"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:1"}, {"Origin", "http://errand.example.org"},
	} {
		for _, contentType := range []string{"text/plain", "application/json", "application/x-www-form-urlencoded"} {
			for _, path := range []string{"/api/pause", "/login", "/login/ask", "/login/link", "/logout"} {
				if got := here.owner.ask(t, "POST", path, "{}", append(header, "Content-Type", contentType)...); got.status != http.StatusForbidden {
					t.Errorf("POST %s with %q: %d %s", path, header, got.status, got.body)
				}
			}
		}
		if header[0] == "Sec-Fetch-Site" {
			if got := here.owner.ask(t, "GET", "/api/tasks", "", header...); got.status != http.StatusForbidden {
				t.Errorf("GET /api/tasks with %q: %d", header, got.status)
			}
		}
	}
	for _, path := range []string{"/api/tasks", "/", "/login.html", "/healthz", "/style.css"} {
		got := here.owner.ask(t, "GET", path, "", "Origin", "https://evil.example")
		if got.header.Get("Cross-Origin-Resource-Policy") != "same-origin" || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s may be used by others: %v", path, got.header)
		}
	}
}

// TestLockOut proves that wrong secrets, however many, keep nobody out who has a
// right one.
func TestLockOut(t *testing.T) {
	for i := range 60 {
		here.stranger.ask(t, "GET", "/api/me", "", "Authorization", fmt.Sprintf("Bearer guess%d", i))
		here.stranger.ask(t, "POST", "/login", "token=guess", "Content-Type", "application/x-www-form-urlencoded")
		here.stranger.ask(t, "POST", "/login/link", `{"link":"guess"}`)
	}
	for name, secret := range map[string]string{"the key": here.Key(), "ERRAND_TOKEN": here.cfg.Token.Reveal()} {
		if got := (visitor{name, "Bearer " + secret}).ask(t, "GET", "/api/me", ""); got.status != http.StatusOK {
			t.Errorf("%s is answered with %d %s", name, got.status, got.body)
		}
		if got := here.neighbour.ask(t, "POST", "/login", "token="+secret, "Content-Type", "application/x-www-form-urlencoded"); got.status != http.StatusOK {
			t.Errorf("%s in the form is answered with %d %s", name, got.status, got.body)
		}
	}
	if got := here.guest.ask(t, "GET", "/api/me", ""); got.status != http.StatusOK {
		t.Errorf("a guest is answered with %d", got.status)
	}
}

// TestConnections proves that a neighbour who holds more connections open than the
// installation takes, idle or with half a request, keeps nobody out.
func TestConnections(t *testing.T) {
	var held []net.Conn
	defer func() {
		for _, c := range held {
			c.Close()
		}
	}()
	for i := range 2 * mostFiles {
		c, err := net.Dial("tcp", here.Address)
		if err != nil {
			t.Fatalf("connection %d: %v", i, err)
		}
		held = append(held, c)
		switch i % 3 {
		case 1:
			io.WriteString(c, "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\nhalf")
		case 2:
			io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
		}
		if i%100 == 99 {
			fresh := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			resp, err := fresh.Get(here.url + "/healthz")
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("with %d connections held, somebody else is answered with %v, %v", i+1, resp, err)
			}
			resp.Body.Close()
		}
	}
	if got := here.owner.ask(t, "GET", "/api/me", ""); got.status != http.StatusOK {
		t.Errorf("the owner is answered with %d", got.status)
	}
}

// TestStreams proves that one guest cannot hold event streams without end.
func TestStreams(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open, refused := 0, 0
	for range 50 {
		req, err := http.NewRequestWithContext(ctx, "GET", here.url+"/api/sessions/main/events", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", here.guest.authorization)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		switch resp.StatusCode {
		case http.StatusOK:
			open++
		case http.StatusTooManyRequests:
			refused++
		}
	}
	if open == 0 || open > 40 || open+refused != 50 {
		t.Errorf("%d streams are open, %d refused", open, refused)
	}
	req, err := http.NewRequestWithContext(ctx, "GET", here.url+"/api/sessions/main/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", here.member.authorization)
	resp, err := http.DefaultClient.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("a member's stream: %v, %v", resp, err)
	}
	resp.Body.Close()
}

// TestWayOut proves that a person who may not see a page, or asks for one that is
// not there, gets a page with a way back, and a program JSON.
func TestWayOut(t *testing.T) {
	for path, status := range map[string]int{"/people": http.StatusForbidden, "/nothing": http.StatusNotFound} {
		got := here.guest.ask(t, "GET", path, "", "Accept", "text/html")
		if got.status != status || !strings.Contains(got.body, `<a class="button primary" href="/">`) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
		got = here.guest.ask(t, "GET", path, "")
		if got.status != status || !json.Valid([]byte(got.body)) {
			t.Errorf("%s for a program: %d %s", path, got.status, got.body)
		}
	}
}
