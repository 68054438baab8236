// Package mcpserver is the door for MCP clients: editors and other agents delegate to errand's
// agents through its tools, and read the results.
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

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/telemetry"
)

// Options configure a Server.
type Options struct {
	Runner  *ops.Runner
	Logger  *slog.Logger
	Version string
	// Wait is the longest time that a call waits; default 45 s, which is shorter than the timeouts
	// of clients.
	Wait time.Duration
}

// A Server answers MCP clients over streamable HTTP. It keeps no state between requests, so any
// worker can answer.
type Server struct {
	Options
	handler http.Handler
	schemas *mcp.SchemaCache
}

// mostBody is in bytes.
const mostBody = 1 << 20

// New makes a Server.
func New(o Options) *Server {
	if o.Wait == 0 {
		o.Wait = 45 * time.Second
	}
	s := &Server{Options: o, schemas: mcp.NewSchemaCache()}
	s.handler = mcp.NewStreamableHTTPHandler(s.serverFor, &mcp.StreamableHTTPOptions{
		Stateless: true, Logger: o.Logger, MaxRequestBodyBytes: mostBody, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // package web has checked the host
	})
	return s
}

// Serve answers a request of by. It accepts one message, and no batch of an older protocol version,
// which could contain any number of calls. When stopping is done, a call that waits for a task
// answers with the task's current state.
func (s *Server) Serve(stopping context.Context, w http.ResponseWriter, r *http.Request, by actor.Actor) {
	if !content.IsJSONDeclared(r.Header) {
		refuse(w, http.StatusUnsupportedMediaType, nil, invalidRequest, "the body must be application/json")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, nil, invalidRequest, "the message is longer than 1 MB, or did not arrive")
		return
	}
	if content.IsJSONTooDeep(body) {
		refuse(w, http.StatusBadRequest, nil, invalidRequest, "the message is nested too deeply")
		return
	}
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		refuse(w, http.StatusBadRequest, nil, invalidRequest, "batches are not supported; send each message separately")
		return
	}
	if id, ok := isNamed(r.Header, body); !ok {
		refuse(w, http.StatusBadRequest, id, mcp.CodeHeaderMismatch, "the header Mcp-Name must be the taskId of the body")
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

// A wireMessage has the fields of a message that the door itself reads.
type wireMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Name      string
		RequestID json.RawMessage
	}
}

func messageOf(body []byte) (m wireMessage) {
	if json.Unmarshal(body, &m) != nil {
		return wireMessage{}
	}
	return m
}

func (m wireMessage) tool() string {
	if m.Method != "tools/call" {
		return ""
	}
	return m.Params.Name
}

// sessionHeader identifies the client in protocol versions before 2026-07-28. It only distinguishes
// the calls of two clients with the same token.
const sessionHeader = "Mcp-Session-Id"

// followCancel lets notifications/cancelled end a call, as protocol versions before 2026-07-28
// require. In later versions the client closes its request instead.
func (s *Server) followCancel(w http.ResponseWriter, r *http.Request, by actor.Actor, m wireMessage) (ctx context.Context, forget func(), err error) {
	ctx, cancel := context.WithCancel(r.Context())
	client := r.Header.Get(sessionHeader) + " "
	switch {
	case r.Header.Get("Mcp-Protocol-Version") >= version2026:
	case m.Method == "initialize":
		w.Header().Set(sessionHeader, core.ShortID(16))
	case m.Method == "notifications/cancelled" && len(m.Params.RequestID) > 0:
		_, err = ops.Do(ctx, s.Runner, api.CancelCall, by, api.CallID{ID: client + string(m.Params.RequestID)})
	case m.Method == "tools/call" && len(m.ID) > 0:
		var end func()
		in := api.FollowCallInput{CallID: api.CallID{ID: client + string(m.ID)}, Canceled: cancel}
		if end, err = ops.Do(ctx, s.Runner, api.FollowCall, by, in); err == nil {
			return ctx, func() { end(); cancel() }, nil
		}
	}
	return ctx, cancel, err
}

// answerWriter drops the answer of a canceled call, as the protocol requires.
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

func refuse(w http.ResponseWriter, status int, id json.RawMessage, code int, text string) {
	w.Header().Set("Content-Type", jsonType)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}}) // fails only if the client is gone
}

const invalidRequest = -32600

type callKey struct{}

type call struct {
	by       actor.Actor
	stopping context.Context
	tool     string // that the request calls; empty: none
}

func (s *Server) serverFor(r *http.Request) *mcp.Server {
	from, ok := r.Context().Value(callKey{}).(call)
	if !ok {
		return nil
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "errand", Title: "errand", Version: s.Version}, &mcp.ServerOptions{
		Instructions: instructions, SchemaCache: s.schemas, Capabilities: capabilities(),
		SupportedProtocolVersions: []string{"2026-07-28", "2025-11-25", "2025-06-18"},
		// The answers depend on the client's token.
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.CacheScope = "private" },
	})
	d := &door{Server: s, by: from.by, stopping: from.stopping, tool: from.tool, gone: r.Context()}
	d.addTools(server)
	d.addRequests(server)
	d.addTasks(server)
	d.addResources(server)
	d.addPrompts(server)
	server.AddReceivingMiddleware(d.guarded) // added last, so that it is the outermost
	return server
}

// guarded recovers panics, because the SDK's goroutines do not.
func (d *door) guarded(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if errors.Is(err, telemetry.ErrPanic) {
				res, err = nil, d.protocolError(err)
			}
		}()
		defer telemetry.RecoverPanic(d.Logger, "a request of an MCP client", &err)
		return next(ctx, method, req)
	}
}

// capabilities announces no notifications, because the server keeps no state between requests.
func capabilities() *mcp.ServerCapabilities {
	c := &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
	c.AddExtension(tasksExtension, nil)
	return c
}

const instructions = `errand has agents that work on tasks in the background. A task continues whether you wait or not, even over restarts: keep the task_id and ask for the result later. If a task asks the user a question, the result of the call contains it; answer it with answer_question. register_agent makes you an agent that the user's chats can delegate to. Call it only if the user asks for it.`

type door struct {
	*Server
	by       actor.Actor
	gone     context.Context // done when the client has gone away
	stopping context.Context // done when the server is about to end
	tool     string          // the only tool to register, because the request calls no other; empty: all

	later     bool        // the client accepts a task as the result, see [tasksExtension]
	handed    *taskStatus // the task to answer with
	input     input       // that the result asks the client for
	dismissed []string    // questions whose forms the person dismissed
}

// An input is what the person at the client has to fill in before the client repeats the call.
type input struct {
	forms mcp.InputRequestMap
	state string
}

// refused returns the client's own errors in full. It hides the details of all others.
func (d *door) refused(err error) error {
	var known *service.Error
	if errors.As(err, &known) || err == nil {
		return err
	}
	if d.gone.Err() == nil {
		d.Logger.Error("MCP call failed", "error", err)
	}
	return errors.New("errand could not do this because of an internal error. Its log says more; try again later")
}
