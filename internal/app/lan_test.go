package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/temporal/devserver"
)

// TestBannerOnTheNetwork proves that who listens for other machines is told at
// start by which addresses these reach errand, that each works, and that the link
// logs in there as the owner, once.
func TestBannerOnTheNetwork(t *testing.T) {
	t.Parallel()
	port := devserver.FreePort(t)
	terminal := &page{}
	install(t, nil, func(o *app.Options) { o.Out = terminal }, func(cfg *config.Config) {
		cfg.Listen, cfg.Public = fmt.Sprintf("0.0.0.0:%d", port), true
	})
	terminal.mu.Lock()
	printed := terminal.text.String()
	terminal.mu.Unlock()
	link := regexp.MustCompile(`open +(http://[^/]+)(/open#(\S+))`).FindStringSubmatch(printed)
	elsewhere := regexp.MustCompile(`(?s)From other machines, errand is at (.+?)\.\s`).FindStringSubmatch(printed)
	if link == nil || elsewhere == nil {
		t.Fatalf("it prints\n%s", printed)
	}
	if here := link[1]; !strings.Contains(printed, "in place of "+here) || strings.Contains(here, "[::]") || strings.Contains(here, "0.0.0.0") {
		t.Errorf("it does not say how the link is used on another machine:\n%s", printed)
	}
	code := link[3]
	for _, at := range append(strings.Split(elsewhere[1], " or "), link[1]) {
		u, err := url.Parse(at)
		if err != nil || u.Port() != fmt.Sprint(port) {
			t.Fatalf("no address: %q, %v", at, err)
		}
		if _, err := net.DefaultResolver.LookupHost(t.Context(), u.Hostname()); err != nil {
			t.Logf("only other machines know %s: %v", at, err)
			continue
		}
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		browser := &http.Client{Jar: jar}
		stranger, _ := exchange(t, browser, http.MethodGet, at+"/", "")
		if stranger.StatusCode != http.StatusOK || stranger.Request.URL.Path != "/login.html" {
			t.Errorf("a stranger at %s gets %s of %s", at, stranger.Status, stranger.Request.URL)
		}
		resp, body := exchange(t, browser, http.MethodPost, at+"/login/link", `{"link":"`+code+`"}`)
		if resp.StatusCode != http.StatusOK {
			t.Errorf("the link at %s: %s %s", at, resp.Status, body)
			continue
		}
		_, body = exchange(t, browser, http.MethodGet, at+"/api/me", "")
		var me struct{ Role string }
		if err := json.Unmarshal([]byte(body), &me); err != nil || me.Role != "master_admin" {
			t.Errorf("at %s the owner is %s, %v", at, body, err)
		}
		_, body = exchange(t, browser, http.MethodPost, at+"/api/me/link", "{}")
		var another struct{ Addresses []string }
		if err := json.Unmarshal([]byte(body), &another); err != nil || strings.Join(another.Addresses, " or ") != elsewhere[1] {
			t.Errorf("another link is said to be at %v, %v; at the start it was %s", another.Addresses, err, elsewhere[1])
		}
		if resp, _ = exchange(t, &http.Client{}, http.MethodPost, at+"/login/link", `{"link":"`+code+`"}`); resp.StatusCode == http.StatusOK {
			t.Errorf("the link worked twice at %s", at)
		}
		// A link is for once: the next address gets one of its own.
		_, body = exchange(t, browser, http.MethodPost, at+"/api/me/link", "{}")
		var next struct{ Path string }
		if err := json.Unmarshal([]byte(body), &next); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		_, code, _ = strings.Cut(next.Path, "#")
	}
}

func exchange(t *testing.T, client *http.Client, method, at, body string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/html, application/json")
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(got)
}
