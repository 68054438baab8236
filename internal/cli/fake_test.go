package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// A request is what the fake worker was asked.
type request struct {
	method, path, query string
	header              http.Header
	body                string
}

// A fakeWorker plays the API: its handlers are what a test says they are.
type fakeWorker struct {
	*httptest.Server
	mux *http.ServeMux

	mu       sync.Mutex
	requests []request
}

func newFake(t *testing.T) *fakeWorker {
	f := &fakeWorker{mux: http.NewServeMux()}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.mu.Lock()
		f.requests = append(f.requests, request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
		f.mu.Unlock()
		f.mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// on answers pattern with a status and JSON.
func (f *fakeWorker) on(pattern string, status int, body string) {
	f.mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

// asked returns the requests with that method and path.
func (f *fakeWorker) asked(method, path string) (found []request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.requests {
		if r.method == method && r.path == path {
			found = append(found, r)
		}
	}
	return found
}

// streams answers pattern with one event stream after the other, the last one
// for ever after. A stream is events, as JSON; "abort" breaks the connection off,
// "hang" waits for the client to leave.
func (f *fakeWorker) streams(pattern string, streams ...[]string) {
	var mu sync.Mutex
	n := 0
	f.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		events := streams[min(n, len(streams)-1)]
		n++
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		w.WriteHeader(http.StatusOK)
		for _, e := range events {
			w.(http.Flusher).Flush()
			switch e {
			case "abort":
				panic(http.ErrAbortHandler)
			case "hang":
				<-r.Context().Done()
				return
			}
			sendEvent(w, e)
		}
	})
}

func sendEvent(w http.ResponseWriter, e string) {
	var id struct{ ID int64 }
	if json.Unmarshal([]byte(e), &id) == nil && id.ID > 0 {
		fmt.Fprintf(w, "id: %d\n", id.ID)
	}
	fmt.Fprintf(w, ": a comment\ndata: %s\n\n", e)
	w.(http.Flusher).Flush()
}

// A result is what a command did.
type result struct {
	code     int
	out, err string
}

// errand runs a command against f, without a terminal.
func (f *fakeWorker) errand(t *testing.T, args ...string) result {
	t.Helper()
	return f.errandIn(t, "", args...)
}

func (f *fakeWorker) errandIn(t *testing.T, input string, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(t.Context(), args, console{
		in: strings.NewReader(input), out: &out, err: &errOut, getenv: env(map[string]string{"ERRAND_SERVER": f.URL}),
	})
	return result{code, out.String(), errOut.String()}
}

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// A paper is a writer that a test can wait on.
type paper struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func newPaper() *paper { return &paper{news: make(chan struct{}, 1)} }

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(b)
	select {
	case p.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// await waits until want has been written, after the first from bytes, and
// returns where it ends.
func (p *paper) await(t *testing.T, from int, want string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		if i := strings.Index(p.String()[from:], want); i >= 0 {
			return from + i + len(want)
		}
		select {
		case <-p.news:
		case <-ctx.Done():
			t.Fatalf("never written: %q; there is %q", want, p.String()[from:])
		}
	}
}
