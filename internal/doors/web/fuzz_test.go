package web

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// FuzzRoutes proves that no request breaks an operation of the API: each is sent what is
// null, absent and wrong.
func FuzzRoutes(f *testing.F) {
	var broken strings.Builder
	logger := slog.New(slog.NewTextHandler(&broken, &slog.HandlerOptions{Level: slog.LevelError}))
	s := newServer(f, &memory{replyTimeout: time.Millisecond}, func(o *Options) { o.Logger, o.Runner.Log = logger, logger })
	operations := s.operations
	for i := range operations {
		for _, body := range []string{"", "null", "{}", "[]", `"x"`, `{"text":null,"name":null,"agents":null,"task":null}`, `{"text":[],"name":7,"agents":{},"role":null,"ids":[null]}`} {
			f.Add(i, "x", "", []byte(body))
		}
		f.Add(i, "%00", "limit=-1&state=&after=null&before=x&path=&q=%ff&tree=7", []byte(`{}`))
	}
	braces := regexp.MustCompile(`\{[^}]*\}`)
	f.Fuzz(func(t *testing.T, i int, id, query string, body []byte) {
		o := operations[uint(i)%uint(len(operations))]
		method, path, _ := strings.Cut(o.pattern, " ")
		r := httptest.NewRequest(method, "http://127.0.0.1/", strings.NewReader(string(body)))
		r.URL.Path, r.URL.RawQuery = braces.ReplaceAllLiteralString(path, strings.ReplaceAll(id, "/", "")), query
		r.Header.Set("Authorization", "Bearer "+testKey)
		if o.body == "" {
			r.Header.Set("Content-Type", jsonMedia)
		} else {
			r.Header.Set("Content-Type", o.body)
		}
		ctx, end := context.WithCancel(t.Context())
		end() // nothing waits
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r.WithContext(ctx))
		if w.Code >= 500 && w.Code != http.StatusNotImplemented || strings.Contains(broken.String(), "panic") {
			t.Fatalf("%s is answered %d %s\n%s", o.pattern, w.Code, w.Body, broken.String())
		}
	})
}
