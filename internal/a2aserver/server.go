// Package a2aserver is the door for A2A clients: agents of other systems give tasks to
// errand's agents, and read, answer and cancel them.
package a2aserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

const (
	// Path is where the agents are, each below its name.
	Path = "/a2a/"
	// House is the name of whoever leads the conversations of new people: it passes on what
	// others can do better.
	House = "errand"
)

// A Backend is what the door needs; a service with an intake is the one in production.
type Backend interface {
	AgentsFor(ctx context.Context, by service.Actor, key errand.SessionKey) ([]service.AgentView, error)
	AllowMessage(by service.Actor, at errand.Account) error

	ReceiveA2A(ctx context.Context, by service.Actor, m service.A2AMessage) (errand.Task, error)
	OwnTask(ctx context.Context, by service.Actor, id errand.TaskID) (errand.Task, error)
	FollowTask(ctx context.Context, by service.Actor, t *errand.Task, atMost time.Duration, enough func(*errand.Task) bool) error
	A2ATasks(ctx context.Context, by service.Actor, f service.A2AFilter) ([]errand.Task, int, error)
	CancelTask(ctx context.Context, by service.Actor, id errand.TaskID, reason string) (errand.Task, error)
	TaskQuestions(ctx context.Context, by service.Actor, id errand.TaskID) ([]errand.Question, error)
	ActorOf(ctx context.Context, id errand.PersonID) (service.Actor, error)
	CheckA2APush(by service.Actor, p service.A2APush) error
	SetA2APush(ctx context.Context, by service.Actor, p service.A2APush) (service.A2APush, error)
	A2APushes(ctx context.Context, by service.Actor, task errand.TaskID) ([]service.A2APush, error)
	DeleteA2APush(ctx context.Context, by service.Actor, task errand.TaskID, id string) error
	Files(ctx context.Context, by service.Actor, of string, f service.FileFilter) ([]service.File, error)
}

// Options configure a Server.
type Options struct {
	Backend Backend
	Logger  *slog.Logger
	Version string
	// Wait is how long a message waits at most for its task; default 40 s, which is less than
	// what clients wait for an answer. Beat is how often a stream says that it is still there;
	// default 15 s.
	Wait, Beat time.Duration
}

// A Server answers A2A clients, of version 1.0 of the protocol, over JSON-RPC and over HTTP+JSON.
// It keeps nothing of them between two requests: a task is a row of errand's,
// so any worker answers for any of them, whenever it was given.
type Server struct {
	Options
	rpc, rest http.Handler
}

// mostBody is more than the longest message, in bytes.
const mostBody = 1 << 20

// New makes a Server.
func New(o Options) *Server {
	if o.Wait == 0 {
		o.Wait = 40 * time.Second
	}
	if o.Beat == 0 {
		o.Beat = 15 * time.Second
	}
	s := &Server{Options: o}
	h := &handler{s}
	beat := a2asrv.WithTransportKeepAlive(o.Beat)
	s.rpc, s.rest = a2asrv.NewJSONRPCHandler(h, beat), a2asrv.NewRESTHandler(h, beat)
	return s
}

type callKey struct{}

// A call is who makes one, of which agent, and until when it may wait.
type call struct {
	by       service.Actor
	stopping context.Context
	agent    string // by its name in the path
	base     string // the address by which the client calls errand
}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// Serve answers a request of somebody, whose URL is absolute. What waits ends when stopping is
// done: the task goes on, and the client asks again.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
	c := call{by: by.AsProgram().Through(service.DoorA2A), stopping: stopping, base: r.URL.Scheme + "://" + r.URL.Host}
	rest := ""
	c.agent, rest, _ = strings.Cut(strings.TrimPrefix(r.URL.Path, Path), "/")
	c.agent = strings.ToLower(c.agent)
	isRPC := rest == ""
	refuse := func(status int, id json.RawMessage, err error, text string) {
		s.refuse(w, isRPC, status, id, a2a.NewError(err, text))
	}
	body := []byte(nil)
	if r.Method != http.MethodGet && r.Method != http.MethodDelete {
		if !jsonbody.IsDeclared(r.Header) {
			refuse(http.StatusUnsupportedMediaType, nil, a2a.ErrInvalidRequest, "the body has to be application/json")
			return
		}
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody)); err != nil {
			refuse(http.StatusRequestEntityTooLarge, nil, a2a.ErrInvalidRequest, "the message is longer than 1 MB, or did not arrive")
			return
		}
		if jsonbody.IsTooDeep(body) {
			refuse(http.StatusBadRequest, nil, a2a.ErrInvalidRequest, "the body is nested too deep")
			return
		}
		if isRPC && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			refuse(http.StatusBadRequest, nil, a2a.ErrInvalidRequest, "batches are not taken: send each message by itself")
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	e := envelopeOf(body)
	if isRPC && !e.hasTime() {
		refuse(http.StatusOK, e.ID, a2a.ErrInvalidParams, "statusTimestampAfter must be a time such as 2026-11-28T10:00:00Z")
		return
	}
	version, isOlder := strings.TrimSpace(r.Header.Get(a2a.SvcParamVersion)), isRPC && strings.Contains(e.Method, "/")
	if isOlder || version != "" && version != "1.0" && !strings.HasPrefix(version, "1.0.") {
		refuse(http.StatusBadRequest, e.ID, a2a.ErrVersionNotSupported, "errand speaks version 1.0 of A2A")
		return
	}
	r = r.WithContext(context.WithValue(r.Context(), callKey{}, c))
	if isRPC {
		s.rpc.ServeHTTP(w, r)
		return
	}
	u := *r.URL
	u.Path, u.RawPath = "/"+rest, ""
	r.URL = &u
	s.rest.ServeHTTP(w, r)
}

// An envelope is what the door itself reads of a message.
type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// hasTime reports whether the time of a ListTasks is one, or left out. The protocol's own code would
// answer that the message cannot be read.
func (e envelope) hasTime() bool {
	var in struct {
		After *json.RawMessage `json:"statusTimestampAfter"`
	}
	var after time.Time
	return e.Method != "ListTasks" || json.Unmarshal(e.Params, &in) != nil || in.After == nil || json.Unmarshal(*in.After, &after) == nil
}

// envelopeOf reads a message. What is none has an empty one: the protocol's own code says what
// is wrong with it.
func envelopeOf(body []byte) envelope {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return envelope{}
	}
	return e
}
