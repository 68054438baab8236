//go:build !nodevserver

package devserver

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A visitor is a browser without jar and redirects.
type visitor struct {
	t    *testing.T
	base string
	head http.Header // of every request
}

func (v visitor) do(method, path, body string) (int, http.Header, string) {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(body))
	require.NoError(v.t, err)
	req.Header = v.head.Clone()
	resp, err := (&http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}).Do(req)
	require.NoError(v.t, err)
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	return resp.StatusCode, resp.Header, string(said)
}

// The Web UI is for who is let in: pages of it, what they ask for, and what they
// do. Strangers are sent to where one logs in.
func TestWebUIAsksWhoItIs(t *testing.T) {
	o := options(t, t.TempDir())
	o.Authorized = func(r *http.Request) bool { c, err := r.Cookie("errand"); return err == nil && c.Value == "owner" }
	o.LogIn = func(r *http.Request) string { return "http://" + r.Host + "/login-of-errand" }
	s := start(t, o)
	c := dial(t, s)
	w := startWorker(t, c)
	defer w.Stop()
	startGreeting(t, c)
	const flow = "/api/v1/namespaces/default/workflows/greet"
	at := "http://" + s.UIAddress()
	run := describeRun(t, c)

	for name, head := range map[string]http.Header{
		"nothing":            {},
		"another's cookie":   {"Cookie": {"errand=guest"}},
		"any authorization":  {"Authorization": {"x"}},
		"the key by another": {"Authorization": {"Bearer " + s.options.Key}, "Cookie": {"errand=guest"}}, // Authorized decides alone
	} {
		stranger := visitor{t, at, head}
		for _, path := range []string{"/", "/index.html", "/namespaces/default/workflows", "/render", "/healthz", "/api/v1/settings", "/api/v1/namespaces", flow,
			flow + "/history", flow + "/run/" + run + "/history.json"} {
			code, _, text := stranger.do(http.MethodGet, path, "")
			require.Equal(t, http.StatusUnauthorized, code, "%s: GET %s: %s", name, path, text)
		}
		for _, path := range []string{flow + "/signal/go", flow + "/terminate", flow + "/update/reset", "/api/v1/namespaces/default/workflows/evil", "/render"} {
			code, _, text := stranger.do(http.MethodPost, path, "{}")
			require.Equal(t, http.StatusUnauthorized, code, "%s: POST %s: %s", name, path, text)
		}
	}
	page := visitor{t, at, http.Header{"Accept": {"text/html,*/*"}}}
	code, head, _ := page.do(http.MethodGet, "/namespaces/default/workflows/greet", "")
	require.Equal(t, http.StatusSeeOther, code)
	require.Equal(t, at+"/login-of-errand", head.Get("Location"))

	owner := visitor{t, at, http.Header{"Cookie": {"errand=owner; _csrf=0123456789abcdef0123456789abcdef"}}}
	for _, path := range []string{"/", "/api/v1/settings", "/api/v1/namespaces", flow, flow + "/history"} {
		code, _, text := owner.do(http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, code, "GET %s: %s", path, text)
		require.NotContains(t, text, s.options.Key)
	}
	code, _, text := owner.do(http.MethodGet, "/api/v1/namespaces/default/workflows/greet/run/"+run+"/history.json", "")
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, text, "WorkflowExecutionStarted", "the download of a history is let in, too")

	// What changes something needs the page's CSRF token, whatever else is shown.
	for name, more := range map[string]http.Header{
		"no token":              {},
		"any authorization":     {"Authorization": {"x"}},
		"the owner's key":       {"Authorization": {"Bearer " + s.options.Key}},
		"another site":          {"Sec-Fetch-Site": {"cross-site"}, "X-Csrf-Token": {"0123456789abcdef0123456789abcdef"}},
		"another port, a token": {"Sec-Fetch-Site": {"same-site"}, "X-Csrf-Token": {"0123456789abcdef0123456789abcdef"}},
	} {
		forged := visitor{t, at, owner.head.Clone()}
		for k, v := range more {
			forged.head[k] = v
		}
		code, _, text := forged.do(http.MethodPost, flow+"/terminate", "{}")
		require.Contains(t, []int{http.StatusForbidden, http.StatusBadRequest}, code, "%s: %s", name, text)
	}
	own := visitor{t, at, owner.head.Clone()}
	own.head.Set("Sec-Fetch-Site", "same-origin")
	own.head.Set("X-Csrf-Token", "0123456789abcdef0123456789abcdef")
	code, _, text = own.do(http.MethodPost, flow+"/signal/other", "{}")
	require.Equal(t, http.StatusOK, code, text)

	finishGreeting(t, c)
}
