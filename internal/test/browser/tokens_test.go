package browser

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/config"
	"errand/internal/test/sim/telegram"
)

// TestTokensPage proves that somebody makes a token with a scope, which errand takes as far as
// that goes, sees it this once, and revokes it, after which errand takes it no more; and that
// everybody can use the page, on a desk and on a phone.
func TestTokensPage(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.open(in.url + "/tokens")
	owner.sees("main", "Your tokens")
	owner.accessible("tokens, folded")

	owner.clicks(".new-token summary")
	owner.types(".new-token input[aria-label='What it is for']", "a script")
	owner.clicks(".new-token input[name=scope][value=read]")
	owner.clicks(".new-token button")
	owner.sees(".secret", "This is shown only once.")
	key := owner.reads(".secret code")
	owner.sees("main li:has(.role)", "a script")
	if got := owner.text("main li .role"); got != "read" {
		t.Errorf("the scope is shown as %q", got)
	}
	owner.announces()
	owner.accessible("tokens, one made")
	owner.narrow()

	answered := func(method, path string) int {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, in.url+path, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	if got := answered(http.MethodGet, "/api/tasks"); got != http.StatusOK {
		t.Errorf("with a token to read the tasks are answered with %d", got)
	}
	if got := answered(http.MethodPost, "/trigger-bot"); got != http.StatusForbidden {
		t.Errorf("with a token to read a task is answered with %d", got)
	}

	owner.run("load it again", chromedp.Reload())
	owner.sees("main li:has(.role)", "a script")
	if n := owner.count(".secret"); n != 0 || owner.has("main", key) {
		t.Error("the token is shown a second time")
	}
	owner.clicks("main li:has(.role) button")
	owner.until("the token to be gone", func() bool { return owner.count("main li:has(.role)") == 0 })
	if got := answered(http.MethodGet, "/api/tasks"); got != http.StatusUnauthorized {
		t.Errorf("a revoked token is answered with %d", got)
	}
}

// TestFilledPagesOnAPhone proves that the audit log and the channels need no scrolling sideways
// on a phone when there is much in them.
func TestFilledPagesOnAPhone(t *testing.T) {
	platform := telegram.New(telegram.Options{})
	web := httptest.NewServer(platform)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	in := start(t, func(in *installation) {
		for name, url := range map[string]string{"news": web.URL, "the_account_with_the_longest_name_that_anybody_ever_chose": gone.URL} {
			bot := platform.AddBot(name)
			in.cfg.Channels = append(in.cfg.Channels, config.Channel{Kind: config.Telegram, Account: name, Token: config.Secret(bot.Token), TokenFrom: "TOKEN", URL: url, Agent: "nikki", Line: 1})
		}
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.open(in.url + "/channels")
	owner.sees("[data-account='telegram/news'] .mark", "connected")
	owner.sees("[data-account^='telegram/the_account']", "on the worker")
	owner.narrow()
	owner.accessible("channels, two")

	long := strings.Repeat("a name that goes on ", 2)
	for range 12 {
		var status int
		owner.evaluates("make a token", `fetch("/api/me/tokens", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({name: `+quoted(long)+`, scope: "read chat delegate"})}).then(answer => answer.status)`, &status)
		if status >= 300 {
			t.Fatalf("a token is answered with HTTP %d", status)
		}
	}
	owner.open(in.url + "/tokens")
	owner.sees("main", strings.TrimSpace(long))
	owner.narrow()
	owner.accessible("tokens, many")
	owner.open(in.url + "/audit")
	owner.sees("#audit", "created the token")
	owner.narrow()
	owner.accessible("audit, much")
}
