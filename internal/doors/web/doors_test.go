package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
)

// TestDoors proves that a program comes in by a token and by nothing else, and is told
// where it reads what to show.
func TestDoors(t *testing.T) {
	h := handle(t, &memory{}, nil)
	for _, tt := range []struct {
		name, method, path string
		header             map[string]string
		status             int
		want               string
	}{
		{"a token", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "p-mia"},
		{"the key", "POST", "/mcp", map[string]string{"Authorization": "Bearer " + testKey}, 200, "owner"},
		{"another method", "GET", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "p-mia"},
		{"an agent", "POST", "/a2a/sasha", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "http://127.0.0.1:8080/a2a/sasha p-mia"},
		{"an agent's task", "GET", "/a2a/sasha/tasks/t-1", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "/a2a/sasha/tasks/t-1 p-mia"},
		{"a card for a stranger", "GET", "/.well-known/agent-card.json", nil, 200, "http://127.0.0.1:8080/.well-known/agent-card.json for ."},
		{"an agent's card for a stranger", "GET", "/a2a/sasha/.well-known/agent-card.json", nil, 200, "for ."},
		{"a card with a token", "GET", "/a2a/sasha/.well-known/agent-card.json", map[string]string{"Authorization": "Bearer token-p-mia"}, 200, "for p-mia."},
		{"nothing", "POST", "/mcp", nil, 401, "errand open"},
		{"a wrong token", "POST", "/mcp", map[string]string{"Authorization": "Bearer nonsense"}, 401, ""},
		{"a cookie", "POST", "/mcp", map[string]string{"Cookie": "errand-test=token-p-mia"}, 401, ""},
		{"a page elsewhere", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia", "Sec-Fetch-Site": "cross-site"}, 403, "origin"},
		{"another name", "POST", "/mcp", map[string]string{"Authorization": "Bearer token-p-mia", "Host": "evil.example"}, 403, "host"},
		{"what it takes", "GET", "/.well-known/oauth-protected-resource/mcp", nil, 200, `"resource":"http://127.0.0.1:8080/mcp"`},
		{"of no door", "GET", "/.well-known/oauth-protected-resource/other", nil, 404, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, "http://127.0.0.1:8080"+tt.path, strings.NewReader("{}"))
			for k, v := range tt.header {
				if r.Header.Set(k, v); k == "Host" {
					r.Host = v
				}
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("it is answered %d %s; want %d with %q", w.Code, w.Body, tt.status, tt.want)
			}
			challenged := strings.Contains(w.Header().Get("WWW-Authenticate"), `resource_metadata="http://127.0.0.1:8080/.well-known/oauth-protected-resource/mcp"`)
			if challenged != (w.Code == http.StatusUnauthorized) {
				t.Errorf("it is told %q with %d", w.Header().Get("WWW-Authenticate"), w.Code)
			}
		})
	}
}

// TestDoorWaits proves that a call which waits is ended at the next beat when whoever asks may no
// more, and with the client that goes away, and that a thousand such waits take no goroutine of
// errand's beside those in which they are served.
func TestDoorWaits(t *testing.T) {
	const calls = 1000
	for _, tt := range []struct {
		name   string
		change func(*memory)
		ended  bool // at the beat
	}{
		{"nothing", func(*memory) {}, false},
		{"the token is revoked", func(m *memory) { delete(m.logins, "token-p-mia") }, true},
		{"the role is another", func(m *memory) { m.people["p-mia"] = core.Person{ID: "p-mia", Role: core.Guest} }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &memory{}
				handler := handle(t, m, func(o *Options) {
					o.Beat = time.Minute
					o.Doors = map[string]Door{"/mcp": func(stopping context.Context, _ http.ResponseWriter, _ *http.Request, _ actor.Actor) {
						<-stopping.Done()
					}}
				})
				ctx, cancel := context.WithCancel(t.Context())
				var waiting sync.WaitGroup
				before := runtime.NumGoroutine()
				for range calls {
					waiting.Go(func() {
						r := httptest.NewRequestWithContext(ctx, "POST", "http://127.0.0.1:8080/mcp", strings.NewReader("{}"))
						r.Header.Set("Authorization", "Bearer token-p-mia")
						handler.ServeHTTP(httptest.NewRecorder(), r)
					})
				}
				all := make(chan struct{})
				go func() {
					waiting.Wait()
					close(all)
				}()
				ended := func() bool {
					synctest.Wait()
					select {
					case <-all:
						return true
					default:
						return false
					}
				}
				time.Sleep(10 * time.Minute)
				if ended() {
					t.Fatal("they are ended though they may wait")
				}
				if more := runtime.NumGoroutine() - before; more > calls+calls/10 {
					t.Errorf("%d calls wait in %d goroutines", calls, more)
				}
				m.mu.Lock()
				tt.change(m)
				m.mu.Unlock()
				time.Sleep(2 * time.Minute)
				if got := ended(); got != tt.ended {
					t.Errorf("two minutes later they are ended: %v, want %v", got, tt.ended)
				}
				cancel()
				if !ended() {
					t.Error("they wait though their client is gone")
				}
			})
		})
	}
}
