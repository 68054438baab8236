// Package models is a server of scripted models, on the wires of their providers.
//
// A server streams as its kind of provider does, and it refuses what that one refuses, in its
// words. What it says is that of a [scripted.Model].
package models

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"errand/internal/llm/scripted"
)

// A Kind is a provider, or a program that serves models.
type Kind string

// The kinds.
const (
	Plain      Kind = "" // takes everything
	OpenAI     Kind = "openai"
	DeepSeek   Kind = "deepseek"
	Gemini     Kind = "gemini"
	Anthropic  Kind = "anthropic"
	VLLM       Kind = "vllm"
	LlamaCpp   Kind = "llama.cpp"
	Ollama     Kind = "ollama"
	OpenRouter Kind = "openrouter"
)

// Kinds returns all of them but [Plain].
func Kinds() []Kind {
	return []Kind{OpenAI, DeepSeek, Gemini, Anthropic, VLLM, LlamaCpp, Ollama, OpenRouter}
}

// A Counts is what a server has done.
type Counts struct {
	Requests    int // for an answer
	Generations int // answers that were begun: what is paid
	Refused     int // requests
	Fetched     int // answers that somebody came back for
	Cancelled   int // answers that were cancelled
	GivenBack   int // requests whose earlier answers had all that belongs to them
	Cached      int // input tokens that the server knew
	Pieces      int // slow answers that have begun to be heard
	HungUp      int // answers whose client left in the middle
}

// A Server is one provider. It is an http.Handler, below /v1.
type Server struct {
	Kind Kind
	// Model says what is answered; nil: the model uses the tool that the person names ("use
	// look_up twice", "use note with {}") or repeats what they say. "slowly" has it stand still after its first piece.
	Model scripted.Model
	// Toolless has the server be one whose model, or whose start, takes no tools.
	Toolless bool
	// Sightless has the server be one whose model, or whose start, takes no pictures.
	Sightless bool

	mu        sync.Mutex
	counts    Counts
	issued    map[string]bool // what was handed out to be given back
	last      string          // the request before, as far as it may be cached
	kept      map[string]*generation
	held      chan struct{} // closed: slow answers go on
	refusals  []string
	pictures  []Picture // of the latest request
	texts     []string  // likewise
	happening *sync.Cond
}

// New makes a server whose slow answers stand still until [Server.Release].
func New(kind Kind) *Server {
	s := &Server{Kind: kind, issued: map[string]bool{}, kept: map[string]*generation{}, held: make(chan struct{})}
	s.happening = sync.NewCond(&s.mu)
	return s
}

// Serve has a model answer over the wire of chat completions. An error of the model is the
// refusal of the request or, once an answer has begun, a connection that breaks off.
func Serve(m scripted.Model) *Server {
	s := New(Plain)
	s.Model = m
	return s
}

// Release has slow answers go on, now and later.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.held:
	default:
		close(s.held)
	}
}

// Hold has slow answers stand still again.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = make(chan struct{})
}

func (s *Server) holding() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// Counts is what the server has done so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

// Refusals are the messages of all refusals so far.
func (s *Server) Refusals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refusals...)
}

// Await waits until what the server has done is enough for ok, and reports whether it
// came to that in time.
func (s *Server) Await(limit time.Duration, ok func(Counts) bool) bool {
	over := false
	stop := time.AfterFunc(limit, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		over = true
		s.happening.Broadcast()
	})
	defer stop.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for !ok(s.counts) && !over {
		s.happening.Wait()
	}
	return ok(s.counts)
}

// HandsOut reports whether the server hands out something with its calls that it wants back.
func (s *Server) HandsOut() bool {
	return s.Kind == OpenAI || s.Kind == DeepSeek || s.Kind == Gemini || s.Kind == OpenRouter
}

// CountsCached reports whether the server says how many tokens it knew.
func (s *Server) CountsCached() bool { return s.Kind != Anthropic && s.Kind != Ollama }

func (s *Server) count(change func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.counts)
	s.happening.Broadcast()
}

func (s *Server) isIssued(state string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.issued[state]
}

// cached is how many tokens of a request the server knows from the one before.
func (s *Server) cached(request string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for n < min(len(request), len(s.last)) && request[n] == s.last[n] {
		n++
	}
	s.last = request
	s.counts.Cached += n / 4
	return n / 4
}

// ServeHTTP answers below /v1.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case path == "/models":
		answerJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}})
	case path == "/chat/completions":
		s.chat(w, r)
	case path == "/responses" && s.Kind == OpenAI:
		s.respond(w, r)
	case strings.HasPrefix(path, "/responses/") && s.Kind == OpenAI:
		s.keptResponse(w, r, strings.TrimPrefix(path, "/responses/"))
	default:
		s.refuse(w, &refusal{status: http.StatusNotFound, message: "404 page not found"})
	}
}

// A refusal is why a server does not answer.
type refusal struct {
	status  int
	message string
	code    string
	param   string
}

// refuse answers with an error as the kind reports it.
func (s *Server) refuse(w http.ResponseWriter, why *refusal) {
	s.mu.Lock()
	s.counts.Refused++
	s.refusals = append(s.refusals, why.message)
	s.happening.Broadcast()
	s.mu.Unlock()
	var body any
	switch s.Kind {
	case Gemini: // a list of one: https://github.com/Alishahryar1/free-claude-code/issues/542
		body = []any{map[string]any{"error": map[string]any{"code": why.status, "message": why.message, "status": "INVALID_ARGUMENT"}}}
	case LlamaCpp:
		body = map[string]any{"error": map[string]any{"code": why.status, "message": why.message, "type": "server_error"}}
	case VLLM: // https://github.com/langchain4j/langchain4j/issues/3475
		body = map[string]any{"object": "error", "message": why.message, "type": "BadRequestError", "param": nil, "code": why.status}
	case OpenRouter:
		body = map[string]any{"error": map[string]any{"message": why.message, "code": why.status}}
	default:
		var code, param any
		if why.code != "" {
			code = why.code
		}
		if why.param != "" {
			param = why.param
		}
		body = map[string]any{"error": map[string]any{"message": why.message, "type": "invalid_request_error", "param": param, "code": code}}
	}
	answerJSON(w, why.status, body)
}

func answerJSON(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // a client that left is its own test
}

func readJSON(r *http.Request, into any) ([]byte, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	return body, json.Unmarshal(body, into)
}

// A stream writes the events of an answer.
type stream struct{ w http.ResponseWriter }

func (e stream) send(v any) {
	b, _ := json.Marshal(v)
	e.raw("data: " + string(b))
}

func (e stream) raw(line string) {
	fmt.Fprintf(e.w, "%s\n\n", line)
	e.w.(http.Flusher).Flush()
}
