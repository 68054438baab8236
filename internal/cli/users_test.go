package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/test/clitest"
)

const everybody = `[
	{"id":"owner","name":"owner","role":"master_admin","created":"2026-01-01T12:00:00Z","identities":[],"tokens":[]},
	{"id":"p-2222aaaa","name":"Ann","role":"member","language":"es","last_agent":"finn","created":"2026-01-01T12:00:00Z",
	 "identities":[{"channel":"discord","account":"main","external_id":"4711","name":"ann#1"}],
	 "tokens":[{"id":"k-1","kind":"api","name":"laptop","created":"2026-01-01T12:00:00Z","expires":"2026-01-02T12:00:00Z"},
	           {"id":"k-2","kind":"login","created":"2026-01-01T12:00:00Z"},
	           {"id":"k-4","kind":"link","created":"2026-01-01T12:00:00Z","expires":"2026-01-01T12:15:00Z"}]},
	{"id":"p-2222bbbb","name":"Bo","role":"guest","created":"2026-01-01T12:00:00Z","identities":[],"tokens":[]}]`

func TestUsersAreListedAndShown(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	got := f.Errand(t, "users", "list")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, "p-2222aaaa  Ann    Member  2026-01-01  2       discord/main 4711 (ann#1)\n")
	for _, who := range []string{"p-2222aaaa", "2222a", "P-2222A", "ann", "Ann"} {
		got := f.Errand(t, "users", "show", who)
		assert.Equal(t, 0, got.Code, "%s: %s", who, got.Err)
		for _, want := range []string{"person     p-2222aaaa\n", "role       Member\n", "language   es\n", "last with  finn\n", "known as   discord/main 4711 (ann#1)\n",
			"token      k-1, for programs, laptop, expired 2026-01-02\n", "token      k-2, of a browser, never expires\n", "token      k-4, a link to log in, expired 2026-01-01\n"} {
			assert.Contains(t, got.Out, want)
		}
	}
	var one map[string]any
	require.NoError(t, json.Unmarshal([]byte(f.Errand(t, "users", "show", "ann", "--json").Out), &one))
	assert.Equal(t, "p-2222aaaa", one["id"])
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: there is no person \"Cy\": see errand users list\n"}, f.Errand(t, "users", "show", "Cy"))
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: \"p-2222\" matches more than one person: Ann (p-2222aaaa), Bo (p-2222bbbb); give more of the id\n"},
		f.Errand(t, "users", "show", "p-2222"))
	assert.Contains(t, f.Errand(t, "users", "show", "").Err, "there is no person", "nothing is not the beginning of every id")
}

func TestUsersAct(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	f.On("POST /api/people/ann", 200, `{"id":"p-2222aaaa","name":"Ann","role":"partner","language":"es","time_zone":"Europe/Oslo"}`)
	f.On("POST /api/people/ann/identities", 200, `{"id":"p-2222aaaa","name":"Ann","role":"partner"}`)
	f.On("DELETE /api/people/ann/identities", 200, `{"id":"p-2222aaaa","name":"Ann","role":"partner"}`)
	f.On("DELETE /api/people/p-2222bbbb", 200, `{"id":"p-2222bbbb","name":"Bo"}`)
	f.On("POST /api/people/ann/tokens", 201, `{"id":"k-3","person":"p-2222aaaa","kind":"api","name":"laptop","created":"2026-01-01T12:00:00Z","token":"secret"}`)
	f.On("POST /api/me/tokens", 201, `{"id":"k-2","person":"p-2222aaaa","kind":"api","scope":"read delegate","created":"2026-01-01T12:00:00Z","token":"secret"}`)
	f.On("GET /api/me/tokens", 200, `[{"id":"k-2","kind":"api","scope":"read delegate","created":"2026-01-01T12:00:00Z"}]`)
	f.On("DELETE /api/me/tokens/k-2", 200, `{"id":"k-2"}`)
	f.On("DELETE /api/tokens/k-3", 200, `{"id":"k-3"}`)
	for _, tt := range []struct {
		args, out, method, path, body string
	}{
		{"users role ann partner", "Ann (p-2222aaaa) is now Partner.\n", "POST", "/api/people/ann", `{"role":"partner"}`},
		{"users language ann es", "errand now talks to Ann (p-2222aaaa) in es.\n", "POST", "/api/people/ann", `{"language":"es"}`},
		{"users timezone ann Europe/Oslo", "The time zone of Ann (p-2222aaaa) is now Europe/Oslo.\n", "POST", "/api/people/ann", `{"time_zone":"Europe/Oslo"}`},
		{"users timezone ann default", "The time zone of Ann (p-2222aaaa) is now Europe/Oslo.\n", "POST", "/api/people/ann", `{"time_zone":""}`},
		{"users link ann discord 12 --account main", "Ann (p-2222aaaa) is linked to discord/main 12.\n", "POST", "/api/people/ann/identities", `{"channel":"discord","account":"main","external_id":"12"}`},
		{"users unlink ann discord 12", "Ann (p-2222aaaa) is no longer linked to discord 12.\n", "DELETE", "/api/people/ann/identities", ""},
		{"users remove bo --yes", "Bo (p-2222bbbb) is removed.\n", "DELETE", "/api/people/p-2222bbbb", ""},
		{"tokens add --scope read,delegate --days 30", "secret\n", "POST", "/api/me/tokens", `{"days":30,"name":"","scope":"read,delegate"}`},
		{"tokens list", "k-2  for programs, to read, delegate, never expires\n", "GET", "/api/me/tokens", ""},
		{"tokens revoke k-2", "Token k-2 is revoked.\n", "DELETE", "/api/me/tokens/k-2", ""},
		{"users token ann --name laptop --days 30", "secret\n", "POST", "/api/people/ann/tokens", `{"name":"laptop","days":30}`},
		{"users revoke k-3", "Token k-3 is revoked.\n", "DELETE", "/api/tokens/k-3", ""},
	} {
		before := len(f.Asked(tt.method, tt.path))
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Equal(t, tt.out, got.Out, tt.args)
		asked := f.Asked(tt.method, tt.path)
		require.Len(t, asked, before+1, tt.args)
		if tt.body != "" {
			assert.JSONEq(t, tt.body, asked[before].Body, tt.args)
		}
	}
	assert.Equal(t, "channel=discord&external_id=12", f.Asked("DELETE", "/api/people/ann/identities")[0].Query)
}

func TestATokenIsShownOnceAndSaysSo(t *testing.T) {
	f := newFake(t)
	f.On("POST /api/people/ann/tokens", 201, `{"id":"k-3","kind":"api","token":"secret","created":"2026-01-01T12:00:00Z"}`)
	got := f.Errand(t, "users", "token", "ann")
	assert.Equal(t, clitest.Result{Code: 0, Out: "secret\n", Err: "This is token k-3, for programs, never expires. It is shown only once: save it now.\n"}, got, "stdout is the token alone")
	assert.Equal(t, 2, f.Errand(t, "users", "token", "ann", "--days", "-1").Code)
	for _, scope := range []string{"", " ", ","} {
		got := f.Errand(t, "users", "token", "ann", "--scope", scope)
		assert.Equal(t, 2, got.Code, "%q", scope)
		assert.Contains(t, got.Err, "--scope is empty")
	}
}

func TestPairings(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/pairings", 200, `[{"code":"K7M-2QX","channel":"telegram","account":"main","external_id":"99","name":"Cy","person":"p-3","state":"pending","created":"2026-01-01T12:00:00Z","expires":"2026-01-01T13:00:00Z"}]`)
	f.On("POST /api/pairings/{code}/approve", 200, `{"pairing":{"code":"K7M-2QX","name":"Cy"},"person":{"id":"p-3","name":"Cy","role":"partner"}}`)
	f.On("POST /api/pairings/{code}/deny", 200, `{"code":"K7M-2QX","state":"denied"}`)
	f.On("GET /api/refusals", 200, `[{"channel":"discord","external_id":"66","name":"Eve","reason":"not on the list","times":3,"last":"2026-01-01T12:00:00Z"}]`)
	for _, tt := range []struct{ args, want string }{
		{"users pending", "K7M-2QX  2026-01-01  2026-01-01  Cy    telegram/main  99      p-3\n"},
		{"users approve k7m-2qx --role partner --as Ann", "Cy (p-3) may now use errand, as Partner.\n"},
		{"users deny k7m-2qx", "The request with the code K7M-2QX is denied.\n"},
		{"users refused", "discord 66  Eve   3      2026-01-01  not on the list\n"},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, got.Out, tt.want)
	}
	assert.Equal(t, "waiting=true", f.Asked("GET", "/api/pairings")[0].Query)
	assert.JSONEq(t, `{"role":"partner","person":"Ann"}`, f.Asked("POST", "/api/pairings/k7m-2qx/approve")[0].Body)
}

func TestRefusalsHaveAdvice(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	f.On("POST /api/people/{id}", 409, `{"error":{"code":"ambiguous","message":"person 2222: fits more than one"}}`)
	f.On("DELETE /api/people/{id}", 403, `{"error":{"code":"forbidden","message":"DELETE /api/people/{id} needs the role Admin or higher; yours is Member"}}`)
	f.On("DELETE /api/tokens/{id}", 404, `{"error":{"code":"not_found","message":"token \"k-9\": not found"}}`)
	for _, pattern := range []string{"POST /api/pairings/{code}/{verb}", "GET /api/sessions/{id}", "GET /api/sessions/{id}/export", "DELETE /api/sessions/{id}", "DELETE /api/reminders/{id}"} {
		f.On(pattern, 404, `{"error":{"code":"not_found","message":"\"x\": not found"}}`)
	}
	f.On("GET /api/sessions", 401, `{"error":{"code":"token","message":"no"}}`)
	for _, tt := range []struct{ args, want string }{
		{"users role 2222 guest", `errand: "2222" matches more than one person: Ann (p-2222aaaa), Bo (p-2222bbbb); give more of the id`},
		{"users remove ann --yes", "errand: that needs the role Admin or higher; yours is Member\n"},
		{"users revoke k-9", `errand: token "k-9": not found (see errand users show PERSON`},
		{"users deny x", `not found (see errand users pending`},
		{"users approve x", `not found (see errand users pending`},
		{"users approve x --as cy", `not found (see errand users list`},
		{"sessions show x", `not found (see errand sessions list`},
		{"sessions export x", `not found (see errand sessions list`},
		{"sessions delete x --yes", `not found (see errand sessions list`},
		{"reminders cancel x", `not found (see errand reminders list`},
		{"sessions list", "does not know who you are (there is no owner.key in ./data): run this in the worker's folder"},
		{"sessions list --token x", "does not know this token: it is wrong, has expired or was revoked"},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 1, got.Code, tt.args)
		assert.Contains(t, got.Err, tt.want)
		assert.Equal(t, 1, strings.Count(got.Err, "\n"), got.Err)
	}
}
