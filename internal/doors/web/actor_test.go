package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
)

// TestWho proves who a request is: what is shown decides, and what is shown and
// not valid is nobody, least of all the owner.
func TestWho(t *testing.T) {
	mia, owner := `"id":"p-mia"`, `"id":"owner"`
	tests := []struct {
		name   string
		token  string // ERRAND_TOKEN
		header map[string]string
		status int
		want   string
	}{
		{"nothing, on this machine", "", nobody, 401, "errand open"},
		{"nothing, through a proxy on this machine", "", map[string]string{"Authorization": "", "X-Forwarded-For": "203.0.113.9"}, 401, "errand open"},
		{"nothing, where there is a token", "secret", nobody, 401, "errand open"},
		{"the key", "", map[string]string{"Authorization": "Bearer " + testKey}, 200, owner},
		{"the key, where there is a token", "secret", map[string]string{"Authorization": "Bearer " + testKey}, 200, owner},
		{"half the key", "", map[string]string{"Authorization": "Bearer " + testKey[:20]}, 401, "token"},
		{"the key is no login", "", map[string]string{"Cookie": testCookie + "=" + testKey}, 401, "token"},
		{"an empty login", "", map[string]string{"Cookie": testCookie + "="}, 401, "token"},
		{"an empty name of a user", "", map[string]string{"Authorization": "Bearer"}, 401, "token"},
		{"the owner's token", "secret", map[string]string{"Authorization": "Bearer secret"}, 200, owner},
		{"in small letters", "secret", map[string]string{"Authorization": "bearer secret"}, 200, owner},
		{"a wrong token", "secret", map[string]string{"Authorization": "Bearer wrong"}, 401, "token"},
		{"a wrong token on this machine", "", map[string]string{"Authorization": "Bearer wrong"}, 401, "token"},
		{"an empty token on this machine", "", map[string]string{"Authorization": "Bearer "}, 401, "token"},
		{"a password on this machine", "", map[string]string{"Authorization": "Basic b3duZXI6"}, 401, "Bearer"},
		{"somebody's token", "secret", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, mia},
		{"somebody's token on this machine", "", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, mia},
		{"somebody's login", "", map[string]string{"Cookie": testCookie + "=token-p-mia"}, 200, mia},
		{"a login that has ended", "", map[string]string{"Cookie": testCookie + "=over"}, 401, "token"},
		{"the owner's token is no login", "secret", map[string]string{"Cookie": testCookie + "=secret"}, 401, "token"},
		{"a wrong token beside a login", "", map[string]string{"Authorization": "Bearer wrong", "Cookie": testCookie + "=token-p-mia"}, 401, "token"},
		{"the page leads to the login", "secret", map[string]string{"Authorization": "", "Accept": "text/html"}, 303, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := serve(t, &memory{}, func(o *Options) { o.Token = test.token })
			status, answer := request(t, server, "GET", "/api/me", "", test.header)
			if status != test.status || !strings.Contains(answer, test.want) {
				t.Errorf("answer is %d %s; want %d with %s", status, answer, test.status, test.want)
			}
		})
	}
}

// TestRights walks every route with every role: it is served from the role on
// that the table of rights says. The table has a line for each route, and none
// that is not there.
func TestRights(t *testing.T) {
	table := api.Rights()
	m := &memory{reply: true}
	server := serve(t, m, nil)
	there := map[string]bool{}
	s := newServer(t, m, nil)
	for _, r := range s.guarded() {
		there[r.pattern] = true
		if !table.Has(rights.Route, r.pattern) {
			t.Errorf("%s has no rule", r.pattern)
		}
		for id, p := range people() {
			method, path, _ := strings.Cut(r.pattern, " ")
			path = strings.NewReplacer("{chat}", "main", "{id}", "x", "{code}", "x", "{agent}", "x", "{key}", "x").Replace(path)
			switch {
			case strings.HasSuffix(path, "/events"):
				path += "?after=x" // an error, so that it ends
			case strings.HasSuffix(path, "/changes"):
				path += "?person=%00" // likewise
			}
			status, answer := request(t, server, method, path, "", map[string]string{"Authorization": "Bearer token-" + string(id)})
			if may := p.Role.Includes(table.Least(rights.Route, r.pattern)); may == (status == http.StatusForbidden) {
				t.Errorf("%s for a %s = %d %s; may: %v", r.pattern, p.Role, status, answer, may)
			}
		}
	}
	for _, rule := range table.Rules() {
		if rule.Kind == rights.Route && !there[rule.Name] {
			t.Errorf("the table has %s, which is not there", rule.Name)
		}
	}
}

// TestScope proves that everybody is kept to what is their own, whatever they
// ask for, but for those who may look at more; and that only a master_admin
// changes what belongs to others.
func TestScope(t *testing.T) {
	const mias = "session/web/local/main/-/p-mia"
	tests := []struct {
		who, method, path, body string
		status                  int
		asked                   string // of the backend; empty: nothing of the like
	}{
		{"p-mia", "POST", "/api/sessions/main/messages?wait=false", `{"text":"a"}`, 202, "Accept " + mias + " member"},
		{"p-mia", "POST", "/api/sessions/main/reset", "", 200, "ResetChat p-mia|main"},
		{"p-mia", "POST", "/api/sessions/main/reset", `{"agent":"Sasha"}`, 200, "ResetChat p-mia|main Sasha"},
		{"p-mia", "GET", "/api/agents?chat=main", "", 200, "ListAgents p-mia|main"},
		{"p-mia", "GET", "/api/tasks", "", 200, "Tasks p-mia"},
		{"p-mia", "GET", "/api/tasks?chat=main", "", 200, "Tasks p-mia main"},
		{"p-mia", "GET", "/api/tasks?person=owner", "", 403, ""},
		{"p-mia", "GET", "/api/tasks?person=*", "", 403, ""},
		{"p-mia", "GET", "/api/tasks/t-1", "", 404, "FindTask p-mia t-1"},
		{"p-mia", "GET", "/api/tasks/t-1?person=owner", "", 403, ""},
		{"p-mia", "GET", "/api/tasks/t-1?wait=20", "", 404, "GetTask t-1 20s"},
		{"p-mia", "POST", "/api/tasks/t-1/cancel", "", 404, "FindTask p-mia t-1"},
		{"p-mia", "POST", "/api/tasks", `{"agent":"sasha","text":"x"}`, 201, "CreateTask p-mia member"},
		{"p-mia", "GET", "/api/sessions/main/events?person=owner", "", 403, ""},
		{"p-mia", "GET", "/api/sessions", "", 200, "ListSessions p-mia||||100"},
		{"p-mia", "GET", "/api/sessions?person=owner", "", 403, ""},
		{"p-mia", "GET", "/api/sessions/search?q=night&person=*", "", 403, ""},
		{"p-mia", "GET", "/api/usage", "", 200, "Usage p-mia 1"},
		{"p-mia", "GET", "/api/usage?person=owner", "", 403, ""},
		{"p-pat", "GET", "/api/tasks", "", 200, "Tasks p-pat"},
		{"p-pat", "GET", "/api/tasks?person=owner&chat=main", "", 200, "Tasks owner main"},
		{"p-pat", "GET", "/api/tasks?person=*", "", 200, "Tasks"},
		{"p-pat", "GET", "/api/tasks/t-1?person=*", "", 200, "FindTask  t-1"},
		{"p-pat", "POST", "/api/tasks/t-1/cancel?person=owner", "", 403, "FindTask owner t-1"},
		{"p-pat", "POST", "/api/tasks/t-1/retry?person=*", "", 403, "FindTask  t-1"},
		{"p-pat", "GET", "/api/sessions/search?q=night&person=p-mia", "", 200, "SearchSessions night|p-mia"},
		{"owner", "POST", "/api/tasks/t-1/cancel?person=*", "", 200, "CancelTask t-1"},
	}
	for _, test := range tests {
		t.Run(test.who+" "+test.method+" "+test.path, func(t *testing.T) {
			m := &memory{}
			server := serve(t, m, nil)
			status, answer := request(t, server, test.method, test.path, test.body, map[string]string{"Authorization": "Bearer token-" + test.who})
			if status != test.status {
				t.Errorf("answer is %d %s; want %d", status, answer, test.status)
			}
			if test.asked == "" && len(m.asked) > 0 || test.asked != "" && !m.was(test.asked) {
				t.Errorf("the backend was asked %q, want %q", m.asked, test.asked)
			}
		})
	}
}

// TestOwnEvents proves that two people in the chat of one name read two logs,
// and that a stream ends when its reader may read it no more.
func TestOwnEvents(t *testing.T) {
	m := &memory{}
	server := serve(t, m, func(o *Options) { o.Beat = time.Millisecond })
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, "GET", server.URL+"/api/sessions/main/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token-p-mia")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), ": still") {
	}
	if !m.was("Events session/web/local/main/-/p-mia") {
		t.Errorf("read were %q", m.asked)
	}
	m.mu.Lock()
	delete(m.logins, "token-p-mia")
	m.mu.Unlock()
	for lines.Scan() { // until the server ends it
	}
	if err := lines.Err(); err != nil {
		t.Error(err)
	}
}

// TestRevokedWhileWaiting proves that a person who is logged out while they wait for a reply does
// not get it.
func TestRevokedWhileWaiting(t *testing.T) {
	for _, accept := range []string{"application/json", "text/event-stream"} {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{replyTimeout: 20 * time.Second}
			r := httptest.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1/api/sessions/main/messages", strings.NewReader(`{"text":"hello","message_id":"m1"}`))
			r.Header.Set("Authorization", "Bearer token-p-mia")
			r.Header.Set("Accept", accept)
			time.AfterFunc(2*time.Second, func() {
				m.mu.Lock()
				delete(m.logins, "token-p-mia")
				m.mu.Unlock()
				m.add(core.Event{Type: core.EventReply, Agent: "nikki", Session: "s", Turn: 1, Text: "the secret"})
			})
			w := httptest.NewRecorder()
			handle(t, m, nil).ServeHTTP(w, r)
			if got := w.Body.String(); m.nobody.Load() == 0 || strings.Contains(got, "the secret") {
				t.Errorf("as %s they read %s", accept, got)
			}
		})
	}
}

// TestRevokedWhileATaskIsAwaited proves that a wait for a task is answered to who they are
// at its end: not at all to a person who may not come in any more, and with a refusal to one
// whose role has changed.
func TestRevokedWhileATaskIsAwaited(t *testing.T) {
	for _, tt := range []struct {
		who    core.PersonID
		change func(*memory)
		status int
	}{
		{"p-pat", func(*memory) {}, http.StatusOK},
		{"p-pat", func(m *memory) { delete(m.logins, "token-p-pat") }, http.StatusUnauthorized},
		{"p-pat", func(m *memory) { m.people["p-pat"] = core.Person{ID: "p-pat", Role: core.Member} }, http.StatusForbidden},
		{"owner", func(m *memory) { m.people["owner"] = core.Person{ID: "owner", Role: core.Partner} }, http.StatusForbidden},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{}
			m.waited = func() {
				time.Sleep(2 * time.Second)
				m.mu.Lock()
				defer m.mu.Unlock()
				tt.change(m)
			}
			r := httptest.NewRequestWithContext(t.Context(), "GET", "http://127.0.0.1/api/tasks/t-1?wait=20&person=owner", nil)
			r.Header.Set("Authorization", "Bearer token-"+string(tt.who))
			w := httptest.NewRecorder()
			handle(t, m, func(o *Options) { o.Beat = time.Hour }).ServeHTTP(w, r)
			if got := w.Body.String(); w.Code != tt.status || strings.Contains(got, "sasha") != (tt.status == http.StatusOK) {
				t.Errorf("%s is told %d %s; want %d", tt.who, w.Code, got, tt.status)
			}
		})
	}
}

// TestRevokedWhileItIsWritten proves that whoever may not come in any more is not
// told the rest of a reply that is just being written, and that this does not wait
// for the next beat.
func TestRevokedWhileItIsWritten(t *testing.T) {
	for _, how := range [][3]string{
		{"GET", "/api/sessions/main/events", ""},
		{"POST", "/api/sessions/main/messages", `{"text":"hello","message_id":"m1"}`},
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &memory{replyTimeout: time.Hour}
			handler := handle(t, m, func(o *Options) { o.Beat = time.Hour })
			ctx, cancel := context.WithCancel(t.Context())
			r := httptest.NewRequestWithContext(ctx, how[0], "http://127.0.0.1"+how[1], strings.NewReader(how[2]))
			r.Header.Set("Authorization", "Bearer token-p-mia")
			r.Header.Set("Accept", "text/event-stream")
			w, ended := httptest.NewRecorder(), make(chan struct{})
			go func() {
				defer close(ended)
				handler.ServeHTTP(w, r)
			}()
			write := func(text string) {
				for range 20 {
					time.Sleep(100 * time.Millisecond)
					m.add(core.Event{Type: core.EventDelta, Agent: "nikki", Session: "s", Turn: 1, Text: text})
				}
				synctest.Wait()
			}
			write("open ")
			m.mu.Lock()
			delete(m.logins, "token-p-mia")
			m.mu.Unlock()
			write("stale ")
			write("secret ")
			cancel()
			<-ended
			if got := w.Body.String(); !strings.Contains(got, "open") || strings.Contains(got, "secret") {
				t.Errorf("%s %s told them:\n%s", how[0], how[1], got)
			}
		})
	}
}

// TestPaced proves that what sets something to work is refused to who is too fast,
// and that stopping it is not.
func TestPaced(t *testing.T) {
	server := serve(t, &memory{tooFast: &service.Error{Kind: service.KindTooMany, Code: "too_fast", Message: "that was too fast"}}, nil)
	for r, want := range map[[3]string]int{
		{"POST", "/api/tasks", `{"agent":"sasha","text":"x"}`}:            429,
		{"POST", "/api/tasks/t-1/retry", `{}`}:                            429,
		{"POST", "/api/tasks/t-1/steer", `{"text":"hi"}`}:                 429,
		{"POST", "/api/tasks/t-1/continue", `{"text":"hi"}`}:              429,
		{"POST", "/api/reminders", `{"when":"in 20 minutes","text":"x"}`}: 429,
		{"POST", "/api/sessions/main/reset", `{}`}:                        429,
		{"POST", "/api/tasks/t-1/cancel", `{}`}:                           200,
		{"GET", "/api/tasks", ""}:                                         200,
	} {
		if status, answer := request(t, server, r[0], r[1], r[2], nil); status != want {
			t.Errorf("%s %s is answered with %d %s, want %d", r[0], r[1], status, answer, want)
		}
	}
}
