// Package a2aserver is the door for A2A clients: agents of other systems give tasks to errand's
// agents, read and cancel them, and answer their questions.
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

	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

const (
	// Path is the prefix of the agents' paths. A name follows it.
	Path = "/a2a/"
	// House is the name under which clients reach the primary agent, which delegates to the others.
	House = "errand"
)

// Options configure a Server.
type Options struct {
	// ActorOf returns a person with their current role, for push messages, which have no request.
	ActorOf func(context.Context, core.PersonID) (actor.Actor, error)
	Runner  *ops.Runner
	Logger  *slog.Logger
	Version string
	// Wait is the longest time that a message waits for its task; default 40 s, which is shorter
	// than the timeouts of clients. Beat is the time between heartbeats of a stream; default 15 s.
	Wait, Beat time.Duration
}

// A Server answers A2A clients over JSON-RPC and HTTP+JSON, in version 1.0 of the protocol. It
// keeps no state between requests: tasks are rows in the store, so any worker can answer.
type Server struct {
	Options
	rpc, rest http.Handler
}

// mostBody is in bytes. It is larger than the longest message.
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

type call struct {
	by       actor.Actor
	stopping context.Context
	agent    string
	base     string // the address by which the client calls errand
}

func callOf(ctx context.Context) call {
	c, _ := ctx.Value(callKey{}).(call)
	return c
}

// Serve answers a request of by. The URL of r must be absolute. When stopping is done, waits end
// early: the task continues, and the client asks again.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
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
		if !content.IsJSONDeclared(r.Header) {
			refuse(http.StatusUnsupportedMediaType, nil, a2a.ErrInvalidRequest, "the body must be application/json")
			return
		}
		var err error
		if body, err = io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody)); err != nil {
			refuse(http.StatusRequestEntityTooLarge, nil, a2a.ErrInvalidRequest, "the message is longer than 1 MB, or did not arrive")
			return
		}
		if content.IsJSONTooDeep(body) {
			refuse(http.StatusBadRequest, nil, a2a.ErrInvalidRequest, "the body is nested too deeply")
			return
		}
		if isRPC && bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
			refuse(http.StatusBadRequest, nil, a2a.ErrInvalidRequest, "batches are not supported; send each message separately")
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

type envelope struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// hasTime checks the time of ListTasks, because the SDK's error would say only that the message
// cannot be read.
func (e envelope) hasTime() bool {
	var in struct {
		After *json.RawMessage `json:"statusTimestampAfter"`
	}
	var after time.Time
	return e.Method != "ListTasks" || json.Unmarshal(e.Params, &in) != nil || in.After == nil || json.Unmarshal(*in.After, &after) == nil
}

// envelopeOf returns a zero envelope for invalid JSON, which the SDK then reports.
func envelopeOf(body []byte) envelope {
	var e envelope
	if json.Unmarshal(body, &e) != nil {
		return envelope{}
	}
	return e
}
