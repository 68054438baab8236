// Package bridge is the connection between a running worker and programs that use standard input
// and output.
//
// [RunACP] makes errand an agent of an editor over the Agent Client Protocol. It uses the worker's
// HTTP API, as the commands do. [RunMCP] passes messages between an MCP client and the worker's MCP
// endpoint without knowing the tools.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/coder/acp-go-sdk"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

// Options configure RunACP.
type Options struct {
	Version string
	Approve bool // the editor asks its user about every permission
}

type agent struct {
	worker *console.Worker
	opts   Options
	log    *slog.Logger
	conn   *acp.AgentSideConnection

	mu       sync.Mutex
	sessions map[acp.SessionId]*session // sessions that the editor has open
}

var (
	_ acp.Agent       = (*agent)(nil)
	_ acp.AgentLoader = (*agent)(nil)
)

// RunACP serves one editor until in ends or ctx is done. The work of errand's agents continues
// after that. RunACP writes only protocol messages to out. The editor may store the log.
func RunACP(ctx context.Context, worker *console.Worker, opts Options, in io.Reader, out io.Writer, log *slog.Logger) error {
	a := &agent{worker: worker, opts: opts, log: log, sessions: map[acp.SessionId]*session{}}
	lines := &lineWriter{out: out}
	messages, pass := io.Pipe()
	a.conn = acp.NewAgentSideConnection(a, lines, messages)
	a.conn.SetLogger(log)
	context.AfterFunc(ctx, func() { pass.Close() })
	go screen(in, pass, lines)
	select {
	case <-a.conn.Done():
	case <-ctx.Done():
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		s.close()
	}
	return nil
}

// Initialize does not call the worker. Errors of the worker appear in the first session.
func (a *agent) Initialize(_ context.Context, in acp.InitializeRequest) (acp.InitializeResponse, error) {
	return acp.InitializeResponse{
		ProtocolVersion: acp.ProtocolVersionNumber,
		AgentInfo:       &acp.Implementation{Name: "errand", Title: acp.Ptr("errand"), Version: a.opts.Version},
		AuthMethods:     []acp.AuthMethod{},
		AgentCapabilities: acp.AgentCapabilities{
			LoadSession:        true,
			PromptCapabilities: acp.PromptCapabilities{Image: true, EmbeddedContext: true},
			SessionCapabilities: acp.SessionCapabilities{
				List: &acp.SessionListCapabilities{}, Resume: &acp.SessionResumeCapabilities{}, Close: &acp.SessionCloseCapabilities{},
			},
		},
	}, nil
}

// Authenticate does nothing, because the worker checks the key or token of each call.
func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// NewSession starts a chat. The chat also appears on errand's pages.
func (a *agent) NewSession(ctx context.Context, _ acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	chat := "acp-" + core.ShortID(8)
	modes, err := a.modes(ctx, chat)
	if err != nil {
		return acp.NewSessionResponse{}, refusal(err)
	}
	s := newSession(a, acp.SessionId(chat), modes)
	a.open(s)
	s.begin("0")
	return acp.NewSessionResponse{SessionId: s.id, Modes: modes}, nil
}

// LoadSession opens a chat and first replays its messages.
func (a *agent) LoadSession(ctx context.Context, in acp.LoadSessionRequest) (acp.LoadSessionResponse, error) {
	s, err := a.find(ctx, in.SessionId)
	if err != nil {
		return acp.LoadSessionResponse{}, refusal(err)
	}
	last, err := s.replay(ctx)
	if err != nil {
		s.close()
		return acp.LoadSessionResponse{}, refusal(err)
	}
	a.open(s)
	s.begin(last)
	s.askOpen()
	return acp.LoadSessionResponse{Modes: s.modes}, nil
}

// ResumeSession opens a chat without a replay, because the editor has kept its messages.
func (a *agent) ResumeSession(ctx context.Context, in acp.ResumeSessionRequest) (acp.ResumeSessionResponse, error) {
	s, err := a.find(ctx, in.SessionId)
	if err != nil {
		return acp.ResumeSessionResponse{}, refusal(err)
	}
	events, err := s.before(ctx, newest, 1)
	if err != nil {
		s.close()
		return acp.ResumeSessionResponse{}, refusal(err)
	}
	a.open(s)
	last := "0"
	if len(events) > 0 {
		last = fmt.Sprint(events[0].ID)
	}
	s.begin(last)
	s.askOpen()
	return acp.ResumeSessionResponse{Modes: s.modes}, nil
}

// find opens a chat. It closes an open session of the same chat, so that no live event appears
// during a replay.
func (a *agent) find(ctx context.Context, id acp.SessionId) (*session, error) {
	if err := a.isThere(ctx, string(id)); err != nil {
		return nil, err
	}
	modes, err := a.modes(ctx, string(id))
	if err != nil {
		return nil, err
	}
	if before, err := a.session(id); err == nil {
		a.drop(before)
	}
	return newSession(a, id, modes), nil
}

func (a *agent) isThere(ctx context.Context, chat string) error {
	found, err := api.Call(ctx, a.worker.API(), api.ListSessions, api.ListSessionsInput{Chat: chat, Limit: 1})
	if err == nil && len(found.Value.Items) == 0 {
		err = unknown(acp.SessionId(chat))
	}
	return err
}

// ListSessions ignores the folder and lists all chats, because errand's agents do not work in the
// editor's folders.
func (a *agent) ListSessions(ctx context.Context, in acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	found, err := api.Call(ctx, a.worker.API(), api.ListSessions, api.ListSessionsInput{Channel: core.ChannelWeb})
	if err != nil {
		return acp.ListSessionsResponse{}, refusal(err)
	}
	cwd := "/"
	if in.Cwd != nil {
		cwd = cmp.Or(*in.Cwd, cwd)
	}
	out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	listed := map[string]bool{}
	for _, f := range found.Value.Items {
		if listed[f.Route.Chat] { // an earlier session of the same chat
			continue
		}
		listed[f.Route.Chat] = true
		out.Sessions = append(out.Sessions, acp.SessionInfo{SessionId: acp.SessionId(f.Route.Chat), Cwd: cwd,
			Title: acp.Ptr(f.Route.Chat + ", with " + f.Agent.Display()), UpdatedAt: acp.Ptr(f.Active.UTC().Format(time.RFC3339))})
	}
	return out, nil
}

// CloseSession stops waiting for this editor's prompts. The turns continue.
func (a *agent) CloseSession(ctx context.Context, in acp.CloseSessionRequest) (acp.CloseSessionResponse, error) {
	s, err := a.session(in.SessionId)
	if err != nil {
		return acp.CloseSessionResponse{}, err
	}
	if s.waits() {
		err = s.stop(ctx)
	}
	a.drop(s)
	if err != nil {
		return acp.CloseSessionResponse{}, refusal(err)
	}
	return acp.CloseSessionResponse{}, nil
}

// Prompt sends a message to a chat and returns after the reply.
func (a *agent) Prompt(ctx context.Context, in acp.PromptRequest) (acp.PromptResponse, error) {
	s, err := a.session(in.SessionId)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	m, err := messageOf(in.Prompt)
	if err != nil {
		return acp.PromptResponse{}, err
	}
	reason, err := s.prompt(ctx, m)
	if err != nil {
		return acp.PromptResponse{}, refusal(err)
	}
	return acp.PromptResponse{StopReason: reason}, nil
}

func (a *agent) Cancel(ctx context.Context, in acp.CancelNotification) error {
	s, err := a.session(in.SessionId)
	if err != nil {
		return err
	}
	// Do not block the editor's other notifications while the worker answers.
	go func() {
		if err := s.stop(context.WithoutCancel(ctx)); err != nil {
			s.view.say("errand was not told to stop, and goes on: " + err.Error())
		}
	}()
	return nil
}

// SetSessionMode makes another agent the chat's agent.
func (a *agent) SetSessionMode(ctx context.Context, in acp.SetSessionModeRequest) (acp.SetSessionModeResponse, error) {
	s, err := a.session(in.SessionId)
	if err != nil {
		return acp.SetSessionModeResponse{}, err
	}
	if err := s.setMode(ctx, in.ModeId); err != nil {
		return acp.SetSessionModeResponse{}, refusal(err)
	}
	return acp.SetSessionModeResponse{}, nil
}

// SetSessionConfigOption returns an error, because there are no options.
func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

func (a *agent) open(s *session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if old := a.sessions[s.id]; old != nil {
		old.close()
	}
	a.sessions[s.id] = s
}

func (a *agent) drop(s *session) {
	s.close()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.sessions[s.id] == s {
		delete(a.sessions, s.id)
	}
}

func (a *agent) session(id acp.SessionId) (*session, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if s := a.sessions[id]; s != nil {
		return s, nil
	}
	return nil, unknown(id)
}

// https://agentclientprotocol.com/protocol/overview
const notFound = -32002

func unknown(id acp.SessionId) error {
	return &acp.RequestError{Code: notFound, Message: fmt.Sprintf("there is no session %q that is open; session/list has those that can be loaded", core.Cut(string(id), 80))}
}

func refusal(err error) error {
	var asked *acp.RequestError
	var no *api.Problem
	switch {
	case errors.As(err, &asked):
		return asked
	case errors.As(err, &no) && no.Status == http.StatusUnauthorized:
		return &acp.RequestError{Code: acp.NewAuthRequired(nil).Code, Message: no.Message}
	case errors.As(err, &no) && no.Status == http.StatusNotFound:
		return &acp.RequestError{Code: notFound, Message: no.Message}
	case errors.As(err, &no) && no.Status/100 == 4:
		return &acp.RequestError{Code: acp.NewInvalidParams(nil).Code, Message: no.Message}
	}
	return &acp.RequestError{Code: acp.NewInternalError(nil).Code, Message: strings.TrimSpace(err.Error())}
}
