// Package openaiwire is the door for clients of OpenAI's API: each agent is a model, so that
// chat front ends and programs which speak that API talk with errand's agents.
package openaiwire

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

// Path is where the API begins.
const Path = "/v1/"

// A Backend is what the door needs; a service with an intake is the one in production.
type Backend interface {
	AgentsFor(ctx context.Context, by service.Actor, key errand.SessionKey) ([]service.AgentView, error)
	NewSession(ctx context.Context, by service.Actor, key errand.SessionKey, agent errand.AgentName, messageID string) (errand.SessionID, error)
	Converse(ctx context.Context, by service.Actor, route errand.Route, m service.Message) (*service.Conversation, error)
	Events(ctx context.Context, by service.Actor, key errand.SessionKey, after int64, limit int) ([]errand.Event, error)
	MessageEvent(ctx context.Context, by service.Actor, key errand.SessionKey, messageID string) (int64, error)
	Answers(ctx context.Context, by service.Actor, e errand.Event, key errand.SessionKey, messageID string) (bool, error)
	EventsBefore(ctx context.Context, by service.Actor, key errand.SessionKey, before int64, n int) ([]errand.Event, error)
	LastEvents(ctx context.Context, by service.Actor, key errand.SessionKey, n int) ([]errand.Event, error)
	ClientCalls(ctx context.Context, by service.Actor, key errand.SessionKey, e errand.Event) (service.ClientCalls, error)
	ClientCallOf(ctx context.Context, by service.Actor, id string) (route errand.Route, waits bool, err error)
	TurnUsage(ctx context.Context, by service.Actor, session errand.SessionID, turn int) (errand.Usage, error)
}

// Options configure a Server.
type Options struct {
	Backend Backend
	Logger  *slog.Logger
	// HasTool reports whether errand has a tool of a name: to the model a client's has another.
	HasTool func(name string) bool
	// MaxTools returns how many tools a request of an agent may have; empty: of the primary one.
	MaxTools func(agent errand.AgentName) int
	// Wait is how long a request waits for its reply; default 9 min, which is less than
	// what the clients of that API wait. Beat is how often a stream says that it is still there;
	// default 15 s.
	Wait, Beat time.Duration
}

// A Server answers clients. It keeps nothing of them between two requests.
type Server struct {
	Options
	mux *http.ServeMux
}

// mostBody is more than ten pictures in base64 have, in bytes.
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

// Serve answers a request of somebody. What waits ends when stopping is done.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
	s.mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callKey{}, call{by.AsProgram().Through(service.DoorOpenAI), stopping})))
}

type callKey struct{}

// A call is who makes one, and until when it may wait.
type call struct {
	by       service.Actor
	stopping context.Context
}

// A request is one, and where its answer goes.
type request struct {
	*http.Request
	w http.ResponseWriter
	call
	accepted bool // the message is accepted: the same again would be said twice
}

// read reads the body into in, which may hold fields that errand does not know.
func (q *request) read(in any) error {
	if !jsonbody.IsDeclared(q.Header) {
		return &wireError{http.StatusUnsupportedMediaType, "invalid_request_error", "unsupported_media_type", "", "the body has to be application/json"}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(q.w, q.Body, mostBody))
	_ = q.Body.Close() // the reply may take minutes, and the room is others'
	var known *service.Error
	switch {
	case errors.As(err, &known):
		return err
	case err != nil:
		return &wireError{http.StatusRequestEntityTooLarge, "invalid_request_error", "too_large", "", "the request is longer than 24 MB, or did not arrive"}
	}
	if jsonbody.IsTooDeep(raw) {
		return invalid("", "the body is nested too deep")
	}
	if err := json.Unmarshal(raw, in); err != nil {
		return invalid("", "the body is not what it should be: "+err.Error())
	}
	return nil
}

// reply answers with JSON.
func (q *request) reply(v any) error {
	q.w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(q.w).Encode(v) // a client that is gone
	return nil
}

// A wireError is an error as clients of that API read it.
type wireError struct {
	status                     int
	kind, code, param, message string
}

func (e *wireError) Error() string { return e.message }

func invalid(param, message string) error {
	return &wireError{http.StatusBadRequest, "invalid_request_error", "invalid", param, message}
}

// errLate says that a reply did not come in time.
var errLate = &wireError{http.StatusGatewayTimeout, "server_error", "no_reply_yet", "", "the agent is still at work; its answer comes to the conversation, where the page and errand chat show it"}

// wireErrorOf is what a client reads of an error: in full where it is the client's own, and
// else that errand has failed.
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
		s.Logger.Error("request of an OpenAI client failed", "path", q.URL.Path, "error", err)
	}
	return &wireError{http.StatusInternalServerError, "server_error", "internal", "", "errand could not do this, by a fault of its own; its log says more"}
}

var statuses = map[service.Kind]int{
	service.KindInvalid: http.StatusBadRequest, service.KindForbidden: http.StatusForbidden, service.KindNotFound: http.StatusNotFound,
	service.KindConflict: http.StatusConflict, service.KindTooLarge: http.StatusRequestEntityTooLarge, service.KindTooMany: http.StatusTooManyRequests,
	service.KindMediaType: http.StatusUnsupportedMediaType, service.KindTimeout: http.StatusRequestTimeout, service.KindUnauthenticated: http.StatusUnauthorized,
}

// body is the error on the wire.
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
		q.w.Header().Set("X-Should-Retry", "false") // the clients of that API look at it
	}
	q.w.WriteHeader(e.status)
	_ = json.NewEncoder(q.w).Encode(e.body()) // a client that is gone
}
