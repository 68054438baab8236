// Package openaiwire is the door for clients of OpenAI's API: each agent is a model, so that chat
// front ends and programs for that API can talk to errand's agents.
package openaiwire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

// Path is the prefix of the API's paths.
const Path = "/v1/"

// Options configure a Server.
type Options struct {
	Runner *ops.Runner
	Logger *slog.Logger
	// HasTool reports whether errand has a tool of a name. The model then sees the client's tool of
	// that name under another one.
	HasTool func(name string) bool
	// MaxTools returns how many tools a request to an agent may have; "" is the primary agent.
	MaxTools func(agent core.AgentName) int
	// Wait is how long a request waits for its reply; default 9 min, which is shorter than the
	// timeouts of OpenAI's clients. Beat is the time between heartbeats of a stream; default 15 s.
	Wait, Beat time.Duration
}

// A Server answers clients. It keeps no state between requests.
type Server struct {
	Options
	mux *http.ServeMux
}

// mostBody is in bytes: about ten pictures in base64.
const mostBody = 24 << 20

// New makes a Server.
func New(o Options) *Server {
	if o.Wait == 0 {
		o.Wait = 9 * time.Minute
	}
	if o.Beat == 0 {
		o.Beat = 15 * time.Second
	}
	s := &Server{Options: o, mux: http.NewServeMux()}
	for pattern, serve := range map[string]func(*request) error{
		"GET /v1/models":            s.getModels,
		"GET /v1/models/{model}":    s.getModel,
		"POST /v1/chat/completions": s.postChat,
		"POST /v1/responses":        s.postResponse,
		"GET /v1/responses/{id}":    s.getResponse,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			from, _ := r.Context().Value(callKey{}).(call)
			q := &request{Request: r, w: w, call: from}
			if err := serve(q); err != nil {
				s.fail(q, err)
			}
		})
	}
	s.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(&request{Request: r, w: w}, &wireError{http.StatusNotFound, "invalid_request_error", "unknown_url", "", "errand has no " + r.Method + " " + r.URL.Path})
	})
	return s
}

// Serve answers a request of by. Waits end when stopping is done.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, call{by.AsProgram().Through(service.DoorOpenAI), stopping})))
}

type callKey struct{}

type call struct {
	by       actor.Actor
	stopping context.Context
}

type request struct {
	*http.Request
	w http.ResponseWriter
	call
	accepted bool // the message is accepted, so a retry would send it twice
}

// read ignores unknown fields.
func (q *request) read(in any) error {
	if !content.IsJSONDeclared(q.Header) {
		return &wireError{http.StatusUnsupportedMediaType, "invalid_request_error", "unsupported_media_type", "", "the body must be application/json"}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(q.w, q.Body, mostBody))
	_ = q.Body.Close() // releases its memory before the reply, which may take minutes
	var known *service.Error
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return &wireError{http.StatusRequestEntityTooLarge, "invalid_request_error", "too_large", "", "the request is longer than 24 MB, or did not arrive"}
	}
	if content.IsJSONTooDeep(raw) {
		return invalid("", "the body is nested too deeply")
	}
	if err := json.Unmarshal(raw, in); err != nil {
		return invalid("", "the body is not valid: "+err.Error())
	}
	return nil
}

func (q *request) reply(v any) error {
	q.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(q.w).Encode(v) // fails only if the client is gone
	return nil
}

type wireError struct {
	status                     int
	kind, code, param, message string
}

func (e *wireError) Error() string { return e.message }

func invalid(param, message string) error {
	return &wireError{http.StatusBadRequest, "invalid_request_error", "invalid", param, message}
}

var errLate = &wireError{http.StatusGatewayTimeout, "server_error", "no_reply_yet", "", "the agent is still working; its answer comes to the conversation, which the page and errand chat show"}

// wireErrorOf returns the client's own errors in full. It hides the details of all others.
func (s *Server) wireErrorOf(q *request, err error) *wireError {
	var wire *wireError
	var known *service.Error
	switch {
	case errors.As(err, &wire):
		return wire
	case errors.As(err, &known):
		status, ok := statuses[known.Kind]
		if !ok {
			break
		}
		kind := "invalid_request_error"
		if known.Kind == service.KindTooMany {
			kind = "rate_limit_error"
		}
		return &wireError{status, kind, known.Code, "", known.Message}
	}
	if q.Context().Err() == nil {
		s.Logger.Error("OpenAI request failed", "path", q.URL.Path, "error", err)
	}
	return &wireError{http.StatusInternalServerError, "server_error", "internal", "", "errand could not do this because of an internal error. Its log says more"}
}

var statuses = map[service.Kind]int{
	service.KindInvalid: http.StatusBadRequest, service.KindForbidden: http.StatusForbidden, service.KindNotFound: http.StatusNotFound,
	service.KindConflict: http.StatusConflict, service.KindTooLarge: http.StatusRequestEntityTooLarge, service.KindTooMany: http.StatusTooManyRequests,
	service.KindMediaType: http.StatusUnsupportedMediaType, service.KindTimeout: http.StatusRequestTimeout, service.KindUnauthenticated: http.StatusUnauthorized,
}

func (e *wireError) body() any {
	var param *string
	if e.param != "" {
		param = &e.param
	}
	return map[string]any{"error": map[string]any{"message": e.message, "type": e.kind, "code": e.code, "param": param}}
}

func (s *Server) fail(q *request, err error) {
	if q.Context().Err() != nil {
		return // the client is gone
	}
	e := s.wireErrorOf(q, err)
	q.w.Header().Set("Content-Type", "application/json")
	if q.accepted {
		q.w.Header().Set("X-Should-Retry", "false") // OpenAI's clients obey it
	}
	q.w.WriteHeader(e.status)
	_ = json.NewEncoder(q.w).Encode(e.body()) // fails only if the client is gone
}
