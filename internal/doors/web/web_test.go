package web

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/service"
)

// TestAPI proves what each request is answered with.
func TestAPI(t *testing.T) {
	big := strings.Repeat("x", maxBody+1)
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
		want                     string // is in the answer
	}{
		{name: "a message is answered", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"hello","message_id":"m1"}`, status: 200, want: `"reply":{"agent":"nikki","text":"you said hello"},"session_id":"s","tasks":["t-1"],"turn":1`},
		{name: "a message is answered with a question", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"what now?"}`, status: 200, want: `"reply":{"agent":"nikki","options":["yes","no"],"text":"shall I?"}`},
		{name: "without waiting", method: "POST", path: "/api/sessions/main/messages?wait=false", body: `{"text":"hello"}`, status: 202, want: `"accepted":true`},
		{name: "a command", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"/tasks"}`, status: 200, want: `"command":true`},
		{name: "as a stream", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"hello"}`, header: map[string]string{"Accept": "text/event-stream"}, status: 200, want: `"type":"reply"`},
		{name: "empty", method: "POST", path: "/api/sessions/main/messages", body: `{"text":" "}`, status: 400, want: `"code":"empty"`},
		{name: "one megabyte", method: "POST", path: "/api/tasks", body: big, status: 413, want: "too_large"},
		{name: "invalid UTF-8", method: "POST", path: "/api/sessions/main/messages", body: "{\"text\":\"\xff\"}", status: 400, want: "not_utf8"},
		{name: "no JSON", method: "POST", path: "/api/sessions/main/messages", body: `hello`, status: 400, want: `"code":"json"`},
		{name: "an unknown key", method: "POST", path: "/api/sessions/main/messages", body: `{"txt":"hello"}`, status: 400, want: "txt"},
		{name: "two objects", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"a"}{"text":"b"}`, status: 400, want: "after the JSON object"},
		{name: "a chat that cannot be", method: "POST", path: "/api/sessions/%2e%2e%2f/messages", body: `{"text":"a"}`, status: 400, want: `"code":"chat"`},
		{name: "tasks", method: "GET", path: "/api/tasks", status: 200, want: `"agent":"sasha"`},
		{name: "one task", method: "GET", path: "/api/tasks/t-1", status: 200, want: `"state":"working"`},
		{name: "no such task", method: "GET", path: "/api/tasks/t-9", status: 404, want: `"code":"not_found"`},
		{name: "cancel", method: "POST", path: "/api/tasks/t-1/cancel", body: `{"reason":"enough"}`, status: 200, want: `"error":"enough"`},
		{name: "steer", method: "POST", path: "/api/tasks/t-1/steer", body: `{"text":"by night"}`, status: 200, want: `"added":8`},
		{name: "continue", method: "POST", path: "/api/tasks/t-1/continue", body: `{"text":"and back","chat":"main"}`, status: 201, want: `"title":"and back main"`},
		{name: "retry", method: "POST", path: "/api/tasks/t-1/retry", status: 200, want: `"retry_of":"t-1"`},
		{name: "delegate", method: "POST", path: "/api/tasks", body: `{"agent":"Sasha,finn","text":"x"}`, status: 201, want: `"agents":["sasha","finn"]`},
		{name: "trigger", method: "POST", path: "/trigger-bot", body: `{"agent":"sasha","task":"x","callback_url":"https://example.org"}`, status: 202, want: `"url":"https://errand.example.org/api/tasks/t-2"`},
		{name: "trigger with no time", method: "POST", path: "/trigger-bot", body: `{"agent":"sasha","task":"x","wait_seconds":-1}`, status: 400, want: "from 0 to 45"},
		{name: "hooks", method: "GET", path: "/api/hooks", status: 200, want: "[]"},
		{name: "try a hook", method: "POST", path: "/api/hooks/try", body: `{"url":"https://example.org"}`, status: 200, want: `"ok":true`},
		{name: "the secret of hooks", method: "POST", path: "/api/hooks/secret", body: `{}`, status: 200, want: `"secret":"whsec_x"`},
		{name: "an empty list is a list", method: "GET", path: "/api/outbox", status: 200, want: "[]"},
		{name: "a delivery without a number", method: "POST", path: "/api/outbox/x/retry", status: 400, want: "number"},
		{name: "reset", method: "POST", path: "/api/sessions/main/reset", status: 200, want: "s2"},
		{name: "agents", method: "GET", path: "/api/agents", status: 200, want: "nikki"},
		{name: "what is not there", method: "GET", path: "/api/nothing", status: 404, want: "openapi.json"},
		{name: "another port of this machine", method: "GET", path: "/api/tasks", header: map[string]string{"Sec-Fetch-Site": "same-site"}, status: 403, want: `"code":"origin"`},
		{name: "by its public name", method: "GET", path: "/api/tasks", header: map[string]string{"Host": "errand.example.org"}, status: 200},
		{name: "from its public name through a proxy that does not pass it on", method: "POST", path: "/api/pause", header: map[string]string{"Origin": "https://errand.example.org"}, status: 200},
		{name: "no page, for a person", method: "GET", path: "/nothing", header: map[string]string{"Accept": "text/html"}, status: 404, want: `href="/"`},
		{name: "no page, for a program", method: "GET", path: "/nothing", status: 404, want: `"code":"not_found"`},
		{name: "what is not a page", method: "GET", path: "/openapi.json", header: map[string]string{"Accept": "text/html"}, status: 404, want: `href="/"`},
		{name: "a page for others", method: "GET", path: "/people", header: map[string]string{"Accept": "text/html", "Authorization": "Bearer token-p-mia"}, status: 403, want: `href="/"`},
		{name: "another name, for a person", method: "GET", path: "/", header: map[string]string{"Accept": "text/html", "Host": "<b>evil"}, status: 403, want: "public_url"},
		{name: "another site", method: "POST", path: "/api/pause", header: map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, status: 403},
		{name: "a stream for another site", method: "GET", path: "/api/sessions/main/events", header: map[string]string{"Sec-Fetch-Site": "cross-site"}, status: 403, want: `"code":"origin"`},
		{name: "a brace too many", method: "POST", path: "/api/sessions/main/messages", body: `{"text":"a"}}`, status: 400, want: "after the JSON object"},
		{name: "another name", method: "GET", path: "/api/tasks", header: map[string]string{"Host": "evil.example"}, status: 403, want: `"code":"host"`},
		{name: "no event to be before", method: "GET", path: "/api/sessions/main/events?before=0", status: 400, want: "from 1"},
		{name: "the events before one", method: "GET", path: "/api/sessions/main/events?before=1", status: 200, want: "[]"},
		{name: "a bad event id", method: "GET", path: "/api/sessions/main/events?after=x", status: 400, want: "number"},
		{name: "the page", method: "GET", path: "/", status: 200, want: "chat.js"},
		{name: "the sessions page", method: "GET", path: "/sessions", status: 200, want: "sessions.js"},
		{name: "the people page", method: "GET", path: "/people", status: 200, want: "people.js"},
		{name: "the audit page", method: "GET", path: "/audit", status: 200, want: "audit.js"},
		{name: "the tasks page", method: "GET", path: "/tasks", status: 200, want: "tasks.js"},
		{name: "metrics", method: "GET", path: "/metrics", status: 200, want: "map[]"},
		{name: "the channels page", method: "GET", path: "/channels", status: 200, want: "channels.js"},
		{name: "the models page", method: "GET", path: "/models", status: 200, want: "models.js"},
		{name: "the tools page", method: "GET", path: "/tools", status: 200, want: "tools.js"},
		{name: "a tool of an MCP server", method: "POST", path: "/api/mcp/sim/try", body: `{"tool":"echo","arguments":{"text":"hi"}}`, status: 200, want: `"text":"sim {echo map[text:hi]}"`},
		{name: "what a phone scans", method: "GET", path: "/api/channels/whatsapp/main/qr", status: 200, want: "\x89PNG"},
		{name: "a code to type", method: "POST", path: "/api/channels/whatsapp/main/code", body: `{"phone":"+49 171 1234567"}`, status: 200, want: `"code":"whatsapp main +49 171 1234567"`},
		{name: "health", method: "GET", path: "/healthz", status: 200, want: "ok"},
		{name: "ready", method: "GET", path: "/readyz", status: 200, want: "ready"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, &memory{reply: true}, func(o *Options) { o.PublicURL = "https://errand.example.org" })
			status, answer := request(t, server, test.method, test.path, test.body, test.header)
			if status != test.status || !strings.Contains(answer, test.want) {
				t.Errorf("%s %s = %d %s; want %d with %q", test.method, test.path, status, answer, test.status, test.want)
			}
		})
	}
}

func request(t *testing.T, server *httptest.Server, method, path, body string, header map[string]string) (int, string) {
	t.Helper()
	resp := exchange(t, server, method, path, body, header)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(answer)
}

// exchange sends a request as the owner, unless its header says who else it is.
func exchange(t *testing.T, server *httptest.Server, method, path, body string, header map[string]string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if header["Cookie"] == "" {
		req.Header.Set("Authorization", "Bearer "+testKey)
	}
	for k, v := range header {
		if req.Header.Set(k, v); k == "Authorization" && v == "" {
			req.Header.Del(k)
		}
	}
	req.Host = header["Host"]
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// TestMessageSentTwice proves that a message sent again gets the reply that it
// had, and that nothing is run again.
func TestMessageSentTwice(t *testing.T) {
	m := &memory{reply: true}
	server := serve(t, m, nil)
	body := `{"text":"hello","message_id":"m1"}`
	_, first := request(t, server, "POST", "/api/sessions/main/messages", body, nil)
	_, second := request(t, server, "POST", "/api/sessions/main/messages", body, nil)
	if first != second {
		t.Errorf("answers differ: %s and %s", first, second)
	}
	if len(m.log) != 3 {
		t.Errorf("the log has %d events, want 3", len(m.log))
	}
}

// TestNoReplyInTime proves that a request that gave up waiting says that the
// message is accepted.
func TestNoReplyInTime(t *testing.T) {
	server := serve(t, &memory{}, nil)
	status, answer := request(t, server, "POST", "/api/sessions/main/messages", `{"text":"hello","message_id":"m1"}`, nil)
	if status != http.StatusAccepted || !strings.Contains(answer, `"accepted":true`) {
		t.Errorf("answer is %d %s", status, answer)
	}
}

// TestOurFault proves that an error of errand's own is not shown in full.
func TestOurFault(t *testing.T) {
	server := serve(t, &memory{broken: errors.New("dial tcp 10.0.0.1: secret")}, nil)
	status, answer := request(t, server, "POST", "/api/sessions/main/messages", `{"text":"hello"}`, nil)
	if status != http.StatusInternalServerError || strings.Contains(answer, "secret") {
		t.Errorf("answer is %d %s", status, answer)
	}
	for broken, want := range map[error]string{
		errors.New("dial tcp 10.0.0.1: secret"):                                   "errand does not answer\n",
		&service.NotReady{Part: "store", Err: errors.New("postgres://u:secret@")}: "store does not answer\n",
	} {
		server := serve(t, &memory{broken: broken}, nil)
		if status, answer := request(t, server, "GET", "/readyz", "", nobody); status != http.StatusServiceUnavailable || answer != want {
			t.Errorf("readyz is %d %q, want %q", status, answer, want)
		}
	}
}

// TestEventsResume proves that a stream goes on after the last event that was
// seen, and then tells what comes, in order and once.
func TestEventsResume(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	for _, text := range []string{"a", "b", "c"} {
		m.add(core.Event{Type: core.EventReply, Text: text})
	}
	req, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/sessions/main/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+testKey)
	req.Header.Set("Last-Event-ID", "2")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	m.add(core.Event{Type: core.EventLate, Text: "d"})
	var got []string
	lines := bufio.NewScanner(resp.Body)
	for len(got) < 2 && lines.Scan() {
		if raw, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			var e core.Event
			if err := json.Unmarshal([]byte(raw), &e); err != nil {
				t.Fatal(err)
			}
			got = append(got, e.Text)
		}
	}
	if strings.Join(got, "") != "cd" {
		t.Errorf("the stream told %q, want c and d", got)
	}
}

// TestToken proves that nothing but the way in is shown without the token.
func TestToken(t *testing.T) {
	server := serve(t, &memory{reply: true}, func(o *Options) { o.Token = "secret" })
	nobody := func(more ...string) map[string]string {
		out := map[string]string{"Authorization": ""}
		for i := 0; i+1 < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	tests := []struct {
		name, method, path, body string
		header                   map[string]string
		status                   int
	}{
		{"none", "GET", "/api/tasks", "", nobody(), 401},
		{"wrong", "GET", "/api/tasks", "", map[string]string{"Authorization": "Bearer x"}, 401},
		{"bearer", "GET", "/api/tasks", "", map[string]string{"Authorization": "Bearer secret"}, 200},
		{"bearer in small letters", "GET", "/api/tasks", "", map[string]string{"Authorization": "bearer secret"}, 200},
		{"the token is no cookie", "GET", "/api/tasks", "", map[string]string{"Cookie": testCookie + "=secret"}, 401},
		{"the page leads to the login", "GET", "/", "", nobody("Accept", "text/html"), 303},
		{"the login page", "GET", "/login.html", "", nobody(), 200},
		{"the page of links", "GET", "/open", "", nobody(), 200},
		{"what makes the page an app", "GET", "/manifest.json", "", nobody(), 200}, // a browser asks without a login
		{"its icon", "GET", "/icon_192.png", "", nobody(), 200},
		{"login", "POST", "/login", "token=secret", nobody("Content-Type", "application/x-www-form-urlencoded"), 200},
		{"login by a form", "POST", "/login", "token=secret", nobody("Content-Type", "application/x-www-form-urlencoded", "Accept", "text/html"), 303},
		{"health", "GET", "/healthz", "", nobody(), 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if status, answer := request(t, server, test.method, test.path, test.body, test.header); status != test.status {
				t.Errorf("%s %s = %d %s; want %d", test.method, test.path, status, answer, test.status)
			}
		})
	}
}

// TestScripts proves that a browser accepts the scripts of the pages, needs no login for them,
// and is sent each only once.
func TestScripts(t *testing.T) {
	server := serve(t, &memory{}, nil)
	for _, name := range []string{"/chat.js", "/markdown/renderer.js", "/sw.js", "/theme.js"} {
		first, err := http.Get(server.URL + name)
		if err != nil {
			t.Fatal(err)
		}
		first.Body.Close()
		tag := first.Header.Get("ETag")
		if got := first.Header.Get("Content-Type"); first.StatusCode != http.StatusOK || got != "text/javascript; charset=utf-8" || tag == "" {
			t.Errorf("%s: %d, %q, entity tag %q", name, first.StatusCode, got, tag)
		}
		if status, answer := request(t, server, "GET", name, "", map[string]string{"If-None-Match": tag}); status != http.StatusNotModified || answer != "" {
			t.Errorf("%s again: %d and %d bytes, want 304", name, status, len(answer))
		}
	}
}
