// Package mcpserver is the door for MCP clients: editors and other agents delegate to
// errand's agents by the tools that it offers, and read what became of it.
package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand"
	"errand/internal/jsonbody"
	"errand/internal/recovered"
	"errand/internal/service"
)

// A Backend is what the door needs; a service is the one in production.
type Backend interface {
	AgentsFor(ctx context.Context, by service.Actor, key errand.SessionKey) ([]service.AgentView, error)
	AllowMessage(by service.Actor, at errand.Account) error
	CancelCall(by service.Actor, id string) error
	FollowCall(by service.Actor, id string, canceled func()) (forget func(), err error)

	Delegate(context.Context, service.Actor, service.Delegation) (errand.Task, error)
	FindTask(ctx context.Context, by service.Actor, prefix string, person errand.PersonID) (errand.Task, error)
	FollowTask(ctx context.Context, by service.Actor, t *errand.Task, atMost time.Duration, enough func(*errand.Task) bool) error
	Tasks(ctx context.Context, by service.Actor, f service.TaskFilter) ([]errand.Task, error)
	CancelTask(ctx context.Context, by service.Actor, id errand.TaskID, reason string) (errand.Task, error)
	SteerTask(ctx context.Context, by service.Actor, id errand.TaskID, in service.Steering) (service.Steered, error)
	ContinueTask(ctx context.Context, by service.Actor, id errand.TaskID, in service.Steering) (errand.Task, error)

	TaskQuestions(ctx context.Context, by service.Actor, id errand.TaskID) ([]errand.Question, error)
	AnswerQuestion(ctx context.Context, by service.Actor, prefix string, in service.Answer) (errand.Question, error)

	Files(ctx context.Context, by service.Actor, of string, f service.FileFilter) ([]service.File, error)
	OpenFile(ctx context.Context, by service.Actor, of, path string, version int) (service.File, io.Reader, error)
	TaskTranscript(ctx context.Context, by service.Actor, prefix string) ([]service.AgentTranscript, error)

	RegisterAgent(ctx context.Context, by service.Actor, name errand.AgentName, about string) (errand.AgentName, error)
	RegisteredAgents(ctx context.Context, by service.Actor) ([]service.RegisteredAgent, error)
	NextRequest(ctx context.Context, by service.Actor, name errand.AgentName, atMost time.Duration) (service.Requests, error)
	KeepRequest(ctx context.Context, by service.Actor, request string) (errand.TaskID, error)
	AnswerRequest(ctx context.Context, by service.Actor, in service.RequestAnswer) (errand.TaskID, error)
}

// Options configure a Server.
type Options struct {
	Backend Backend
	Logger  *slog.Logger
	Version string
	// Wait is how long a call waits at most; default 45 s, which is less than what clients
	// wait for an answer.
	Wait time.Duration
}

// A Server answers MCP clients over streamable HTTP, each request by itself: nothing of a
// client is kept between two, so that any worker answers any of them.
type Server struct {
	Options
	handler http.Handler
	schemas *mcp.SchemaCache
}

// mostBody is more than the largest task with the messages that go with it, in bytes.
const mostBody = 1 << 20

// New makes a Server.
func New(o Options) *Server {
	if o.Wait == 0 {
		o.Wait = 45 * time.Second
	}
	s := &Server{Options: o, schemas: mcp.NewSchemaCache()}
	s.handler = mcp.NewStreamableHTTPHandler(s.serverFor, &mcp.StreamableHTTPOptions{
		Stateless: true, Logger: o.Logger, MaxRequestBodyBytes: mostBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the server around it knows its own names
	})
	return s
}

// Serve answers a request of somebody. It takes one message: a batch, which older versions
// of the protocol have, would be any number of calls at once. When stopping is done, a call
// that waits for a task answers with the task as it is.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by service.Actor) {
	if !jsonbody.IsDeclared(r.Header) {
		refuse(w, http.StatusUnsupportedMediaType, nil, invalidRequest, "the body has to be application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, nil, invalidRequest, "the message is longer than 1 MB, or did not arrive")
		return
	}
	if jsonbody.IsTooDeep(body) {
		refuse(w, http.StatusBadRequest, nil, invalidRequest, "the message is nested too deep")
		return
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		refuse(w, http.StatusBadRequest, nil, invalidRequest, "batches are not taken: send each message by itself")
		return
	}
	if id, ok := isNamed(r.Header, body); !ok {
		refuse(w, http.StatusBadRequest, id, mcp.CodeHeaderMismatch, "the header Mcp-Name has to be the taskId of the body")
		return
	}
	m := messageOf(body)
	ctx, forget, err := s.followCancel(w, r, by, m)
	defer forget()
	if err != nil {
		refuse(w, http.StatusForbidden, m.ID, invalidRequest, err.Error())
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.handler.ServeHTTP(answerWriter{w, ctx.Err}, r.WithContext(context.WithValue(ctx, callKey{}, call{by.Through(service.DoorMCP), stopping, m.tool()})))
}

// A wireMessage is what the door itself reads of a message.
type wireMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		RequestID json.RawMessage
	}
}

// messageOf reads a message; one that is none is empty.
func messageOf(body []byte) (m wireMessage) {
	if json.Unmarshal(body, &m) != nil {
		return wireMessage{}
	}
	return m
}

// tool is the tool that a message calls; empty for any other message.
func (m wireMessage) tool() string {
	if m.Method != "tools/call" {
		return ""
	}
	return m.Params.Name
}

// sessionHeader names the client in versions before 2026-07-28. errand keeps nothing of a client;
// the name tells apart the calls of two that have the same token.
const sessionHeader = "Mcp-Session-Id"

// followCancel has a call of a version before 2026-07-28 end when its client sends
// notifications/cancelled, which is another request. In later versions the client closes its own.
func (s *Server) followCancel(w http.ResponseWriter, r *http.Request, by service.Actor, m wireMessage) (ctx context.Context, forget func(), err error) {
	ctx, cancel := context.WithCancel(r.Context())
	client := r.Header.Get(sessionHeader) + " "
	switch {
	case r.Header.Get("Mcp-Protocol-Version") >= version2026:
	case m.Method == "initialize":
		w.Header().Set(sessionHeader, errand.ShortID(16))
	case m.Method == "notifications/cancelled" && len(m.Params.RequestID) > 0:
		err = s.Backend.CancelCall(by, client+string(m.Params.RequestID))
	case m.Method == "tools/call" && len(m.ID) > 0:
		var end func()
		if end, err = s.Backend.FollowCall(by, client+string(m.ID), cancel); err == nil {
			return ctx, func() { end(); cancel() }, nil
		}
	}
	return ctx, cancel, err
}

// An answerWriter drops the answer to a call once it is canceled: the protocol says that its client
// gets none.
type answerWriter struct {
	http.ResponseWriter
	canceled func() error
}

func (w answerWriter) Write(b []byte) (int, error) {
	if w.canceled() != nil {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets [http.ResponseController] flush.
func (w answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// refuse answers what is no call that could be answered, as the protocol says it.
func refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // a client that is gone
}

const invalidRequest = -32600

type callKey struct{}

// A call is who makes one, and until when it may wait.
type call struct {
	by       service.Actor
	stopping context.Context
	tool     string // that it calls; empty: none
}

// serverFor is what one request talks to: the tools as they are for whoever asks.
func (s *Server) serverFor(r *http.Request) *mcp.Server {
	from, ok := r.Context().Value(callKey{}).(call)
	if !ok {
		return nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "errand", Title: "errand", Version: s.Version}, &mcp.ServerOptions{
		Instructions: instructions, SchemaCache: s.schemas, Capabilities: capabilities(),
		SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18"},
		// What a client reads depends on its token.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	d := &door{Server: s, by: from.by, stopping: from.stopping, tool: from.tool, gone: r.Context()}
	d.addTools(server)
	d.addRequests(server)
	d.addTasks(server)
	d.addResources(server)
	d.addPrompts(server)
	server.AddReceivingMiddleware(d.guarded) // the outermost, so it is the last
	return server
}

// guarded answers a request that panics with an internal error: the SDK handles requests in
// goroutines of its own, which recover nothing.
func (d *door) guarded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if errors.Is(err, recovered.ErrPanic) {
				res, err = nil, d.protocolError(err)
			}
		}()
		defer recovered.Panic(d.Logger, "a request of an MCP client", &err)
		return next(ctx, method, req)
	}
}

// capabilities say what is there, and that no request is told of changes: each stands for
// itself.
func capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	c.AddExtension(tasksExtension, nil)
	return c
}

const instructions = `errand has agents that work on tasks in the background. What you delegate goes on whether you wait or not, also over restarts: keep the task_id, and ask for the result later. A task may ask its person a question: the result of the call names it then, and answer_question answers it. The other way round, register_agent makes you an agent that the person's chats can delegate to: do so only where the person asks for it.`

// A door answers the calls of one request.
type door struct {
	*Server
	by       service.Actor
	gone     context.Context // done when the client has gone away
	stopping context.Context // done when the server is about to end
	tool     string          // the only one that is offered, for the rest are not called; empty: all

	later     bool        // the client takes a task for a result, see [tasksExtension]
	handed    *taskStatus // and gets this one
	input     input       // that the call wants of the client
	dismissed []string    // questions whose forms its person has closed
}

// An input is what a result asks of the person at the client before the call is made again.
type input struct {
	forms mcp.InputRequestMap
	state string
}

// refused is what a client reads of an error: in full where it is the client's own, and
// else that errand has failed.
func (d *door) refused(err error) error {
	var known *service.Error
	if errors.As(err, &known) || err == nil {
		return err
	}
	if d.gone.Err() == nil {
		d.Logger.Error("call of an MCP client failed", "error", err)
	}
	return errors.New("errand could not do this, by a fault of its own; its log says more. Try again later")
}
