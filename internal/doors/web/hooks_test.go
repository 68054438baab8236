package web

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// TestHooks proves that what a platform calls is reached without a login and under
// any name, is bounded, and opens nothing else.
func TestHooks(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) {
		o.Token = "a-token-of-the-owner"
		o.Hooks = map[string]http.Handler{"/telegram/main": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				w.WriteHeader(http.StatusRequestEntityTooLarge)
			}
		})}
	})
	for _, tt := range []struct {
		path string
		size int
		want int
	}{
		{"/telegram/main", 10, http.StatusOK}, {"/telegram/main", 2 << 20, http.StatusRequestEntityTooLarge},
		{"/telegram/finn", 10, http.StatusForbidden}, {"/telegram/main/../../api/tasks", 10, http.StatusForbidden},
	} {
		req, err := http.NewRequest(http.MethodPost, server.URL+tt.path, strings.NewReader(strings.Repeat("x", tt.size)))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = "errand.example.org"
		req.Header.Set("Origin", "https://elsewhere.example.org")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%s with %d bytes: %d, want %d", tt.path, tt.size, resp.StatusCode, tt.want)
		}
	}
}

type turnsAway struct{ http.Handler }

func (turnsAway) Refused() int64 { return 7 }

// TestHookMetrics proves that it is seen how many calls hooks have turned away.
func TestHookMetrics(t *testing.T) {
	server := serve(t, &memory{}, func(o *Options) {
		o.Hooks = map[string]http.Handler{"/telegram/main": turnsAway{}, "/telegram/silent": http.NotFoundHandler()}
	})
	_, got := request(t, server, http.MethodGet, "/metrics", "", nil)
	if got != "map[/telegram/main:7]" {
		t.Errorf("the metrics are\n%s", got)
	}
}
