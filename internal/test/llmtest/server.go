package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"errand/internal/core"
)

// A Behaviour is how a Server answers one request.
type Behaviour = http.HandlerFunc

// A Server speaks the OpenAI-compatible wire and misbehaves to order: it
// answers its requests with its behaviours, in order, and goes on with the
// last one.
type Server struct {
	*httptest.Server

	mu         sync.Mutex
	behaviours []Behaviour
	bodies     [][]byte
	headers    []http.Header
}

// NewServer starts a server that ends with the test.
func NewServer(t testing.TB, behaviours ...Behaviour) *Server {
	t.Helper()
	s := &Server{behaviours: behaviours}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() {
		// Silent behaviours wait for their client to leave.
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// BaseURL is what a provider is configured with.
func (s *Server) BaseURL() string { return s.URL + "/v1" }

// Bodies are the requests so far.
func (s *Server) Bodies() [][]byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([][]byte(nil), s.bodies...)
}

// Headers are those of the requests so far.
func (s *Server) Headers() []http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]http.Header(nil), s.headers...)
}

// ServeHTTP records the request and behaves.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body) // a client that left is its own test
	s.mu.Lock()
	s.bodies = append(s.bodies, body)
	s.headers = append(s.headers, r.Header.Clone())
	behave := s.behaviours[0]
	if len(s.behaviours) > 1 {
		s.behaviours = s.behaviours[1:]
	}
	s.mu.Unlock()
	behave(w, r)
}

// Answer streams a text.
func Answer(text string) Behaviour {
	return Events(TextEvent(text), FinishEvent("stop"), UsageEvent(11, 7), "[DONE]")
}

// Transcript answers that a recording says text.
func Transcript(text string) Behaviour {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path != "/v1/audio/transcriptions" || !strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(map[string]string{"text": text})
	}
}

// Answers streams a whole answer of calls, each in one fragment.
func Answers(calls ...core.ToolCall) Behaviour {
	events := make([]string, 0, len(calls)+2)
	for i, c := range calls {
		events = append(events, CallEvent(&i, c.ID, c.Name, c.Arguments))
	}
	return Events(append(events, FinishEvent("tool_calls"), "[DONE]")...)
}

// Events streams events, one data line each, and ends.
func Events(events ...string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) { writeEvents(w, events) }
}

// Cut streams events and then breaks the connection off. Without events it
// does so before the headers.
func Cut(events ...string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		if len(events) > 0 {
			writeEvents(w, events)
		}
		panic(http.ErrAbortHandler)
	}
}

// Silence streams events and then says nothing until the client leaves.
// Without events it does not even send headers.
func Silence(events ...string) Behaviour {
	return func(w http.ResponseWriter, r *http.Request) {
		if len(events) > 0 {
			writeEvents(w, events)
		}
		<-r.Context().Done()
	}
}

// Body answers with a status and a body of a content type.
func Body(status int, contentType, body string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// Status answers with an error as OpenAI reports it. Headers are name, value
// pairs.
func Status(status int, code, message string, headers ...string) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%s,"type":"error","code":%s}}`, quote(message), quote(code))
	}
}

// HTML answers as a proxy or a wrong address does.
func HTML(status int) Behaviour {
	return Body(status, "text/html", "<!doctype html>\n<html><body><h1>Welcome to nginx</h1></body></html>\n")
}

// Garbage is a stream whose events are no JSON.
func Garbage() Behaviour { return Events(TextEvent("so far "), "{\"choices\": [{]}\x00\xff", "[DONE]") }

// Empty is an answer with nothing in it.
func Empty() Behaviour { return Events(FinishEvent("stop"), "[DONE]") }

// Huge streams n bytes of text.
func Huge(n int) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		piece := strings.Repeat("x", 1000)
		for sent := 0; sent < n; sent += len(piece) {
			if !writeEvents(w, []string{TextEvent(piece[:min(len(piece), n-sent)])}) {
				return
			}
		}
		writeEvents(w, []string{FinishEvent("stop"), "[DONE]"})
	}
}

// ManyCalls streams n tool calls.
func ManyCalls(n int) Behaviour {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := range n {
			if !writeEvents(w, []string{CallEvent(&i, fmt.Sprintf("c%d", i), "list_pending_async_agents", "{}")}) {
				return
			}
		}
		writeEvents(w, []string{FinishEvent("tool_calls"), "[DONE]"})
	}
}

func writeEvents(w http.ResponseWriter, events []string) bool {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", e); err != nil {
			return false
		}
	}
	w.(http.Flusher).Flush()
	return true
}

// TextEvent is a piece of text.
func TextEvent(s string) string {
	return `{"choices":[{"index":0,"delta":{"content":` + quote(s) + `}}]}`
}

// CallEvent is a fragment of a call; an index of nil and empty strings are left
// out.
func CallEvent(index *int, id, name, arguments string) string {
	call := map[string]any{}
	function := map[string]any{}
	if index != nil {
		call["index"] = *index
	}
	if id != "" {
		call["id"] = id
	}
	if name != "" {
		function["name"] = name
	}
	if arguments != "" {
		function["arguments"] = arguments
	}
	call["function"] = function
	b, _ := json.Marshal(call) // strings and an int always marshal
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + string(b) + `]}}]}`
}

// FinishEvent ends the answer.
func FinishEvent(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":` + quote(reason) + `}]}`
}

// UsageEvent counts tokens.
func UsageEvent(input, output int) string {
	return fmt.Sprintf(`{"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`, input, output)
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always marshals
	return string(b)
}
