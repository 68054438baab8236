// Package clitest plays a worker for the tests of commands.
package clitest

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

	"errand/internal/cli/console"
)

// A Request is what the fake worker was asked.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                string
}

// A Runner carries out a command line: cli.Run.
type Runner = func(context.Context, []string, console.Console) int

// A FakeWorker plays the API: its handlers are what a test says they are.
type FakeWorker struct {
	*httptest.Server
	Mux *http.ServeMux
	run Runner // for errand

	mu       sync.Mutex
	Requests []Request
}

// NewFakeWorker returns one whose commands are run by run.
func NewFakeWorker(t *testing.T, run Runner) *FakeWorker {
	f := &FakeWorker{Mux: http.NewServeMux(), run: run}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("read request: %v", err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		f.mu.Lock()
		f.Requests = append(f.Requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
		f.mu.Unlock()
		f.Mux.ServeHTTP(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// On answers pattern with a status and JSON.
func (f *FakeWorker) On(pattern string, status int, body string) {
	f.Mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		io.WriteString(w, body)
	})
}

// Asked returns the requests with that method and path.
func (f *FakeWorker) Asked(method, path string) (found []Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.Requests {
		if r.Method == method && r.Path == path {
			found = append(found, r)
		}
	}
	return found
}

// Streams answers pattern with one event stream after the other, the last one
// for ever after. A stream is events, as JSON; "abort" breaks the connection off,
// "hang" waits for the client to leave.
func (f *FakeWorker) Streams(pattern string, streams ...[]string) {
	var mu sync.Mutex
	n := 0
	f.Mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
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
			SendEvent(w, e)
		}
	})
}

// SendEvent writes an event to a stream, under its id.
func SendEvent(w http.ResponseWriter, e string) {
	var id struct{ ID int64 }
	if json.Unmarshal([]byte(e), &id) == nil && id.ID > 0 {
		fmt.Fprintf(w, "id: %d\n", id.ID)
	}
	fmt.Fprintf(w, ": a comment\ndata: %s\n\n", e)
	w.(http.Flusher).Flush()
}

// A Result is what a command did.
type Result struct {
	Code     int
	Out, Err string
}

// Errand runs a command against f, without a terminal.
func (f *FakeWorker) Errand(t *testing.T, args ...string) Result {
	t.Helper()
	return f.ErrandIn(t, "", args...)
}

// ErrandIn is Errand with something to read.
func (f *FakeWorker) ErrandIn(t *testing.T, input string, args ...string) Result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := f.run(t.Context(), args, console.Console{
		In: strings.NewReader(input), Out: &out, Err: &errOut, Getenv: Env(map[string]string{"ERRAND_SERVER": f.URL}),
	})
	return Result{code, out.String(), errOut.String()}
}

// Env is an environment of these variables only.
func Env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

// AtTerminal runs a command for somebody who types.
func (f *FakeWorker) AtTerminal(t *testing.T, typed string, args ...string) Result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := f.run(t.Context(), args, console.Console{In: strings.NewReader(typed), Out: &out, Err: &errOut, InTTY: true,
		Getenv: Env(map[string]string{"ERRAND_SERVER": f.URL})})
	return Result{code, out.String(), errOut.String()}
}

// Alone runs a command in an empty folder, without a worker.
func Alone(t *testing.T, run Runner, input string, args ...string) Result {
	t.Helper()
	var out, errOut bytes.Buffer
	code := run(t.Context(), args, console.Console{In: strings.NewReader(input), Out: &out, Err: &errOut, Getenv: Env(nil)})
	return Result{code, out.String(), errOut.String()}
}
