// Package acpagent makes errand an agent of an editor: it speaks the Agent Client Protocol
// on standard input and output, and talks to a running worker as the other commands do.
package acpagent

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

	"errand"
	api "errand/client"
	"errand/internal/cli/client"
)

// Options are what "errand acp" is started with.
type Options struct {
	Version string
	Approve bool // the editor asks its person about every permission
}

// An agent is one editor and the worker that it talks to.
type agent struct {
	worker *client.Worker
	opts   Options
	log    *slog.Logger
	conn   *acp.AgentSideConnection

	mu       sync.Mutex
	sessions map[acp.SessionId]*session // that the editor has open
}

var (
	_ acp.Agent       = (*agent)(nil)
	_ acp.AgentLoader = (*agent)(nil)
)

// Run is the agent of an editor until in has ended or ctx is done. What the agents of errand
// do goes on then. Only the protocol is written to out; log is for what the editor may keep.
func Run(ctx context.Context, worker *client.Worker, opts Options, in io.Reader, out io.Writer, log *slog.Logger) error {
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

// Initialize says what the editor can ask of errand. It does not ask the worker: what is
// wrong with that, the first session says.
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

// Authenticate is not needed: the worker knows the key or the token that it is shown.
func (a *agent) Authenticate(context.Context, acp.AuthenticateRequest) (acp.AuthenticateResponse, error) {
	return acp.AuthenticateResponse{}, nil
}

// NewSession begins a chat. It is one like any other, with a name of its own: it is on the
// page, too.
func (a *agent) NewSession(ctx context.Context, _ acp.NewSessionRequest) (acp.NewSessionResponse, error) {
	chat := "acp-" + errand.ShortID(8)
	modes, err := a.modes(ctx, chat)
	if err != nil {
		return acp.NewSessionResponse{}, refusal(err)
	}
	s := newSession(a, acp.SessionId(chat), modes)
	a.open(s)
	s.begin("0")
	return acp.NewSessionResponse{SessionId: s.id, Modes: modes}, nil
}

// LoadSession goes on with a chat, and tells first what was said in it.
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

// ResumeSession goes on with a chat whose words the editor has kept itself.
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

// find is a chat that is there. The editor has it open when it has read what was said in it:
// nothing else is shown among that.
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

// isThere fails for a chat in which nothing was ever said.
func (a *agent) isThere(ctx context.Context, chat string) error {
	found, err := a.worker.API().ListSessions(ctx, &api.ListSessionsParams{Chat: chat, Limit: 1})
	if err == nil && len(found.Value) == 0 {
		err = unknown(acp.SessionId(chat))
	}
	return err
}

// ListSessions lists the chats that go by page and API, the last active first. errand's
// agents work in no folder of the editor's, so any folder has all of them.
func (a *agent) ListSessions(ctx context.Context, in acp.ListSessionsRequest) (acp.ListSessionsResponse, error) {
	found, err := a.worker.API().ListSessions(ctx, &api.ListSessionsParams{Channel: errand.ChannelWeb})
	if err != nil {
		return acp.ListSessionsResponse{}, refusal(err)
	}
	cwd := "/"
	if in.Cwd != nil {
		cwd = cmp.Or(*in.Cwd, cwd)
	}
	out := acp.ListSessionsResponse{Sessions: []acp.SessionInfo{}}
	listed := map[string]bool{}
	for _, f := range found.Value {
		if listed[f.Route.Chat] { // an earlier session of the same chat
			continue
		}
		listed[f.Route.Chat] = true
		out.Sessions = append(out.Sessions, acp.SessionInfo{SessionId: acp.SessionId(f.Route.Chat), Cwd: cwd,
			Title: acp.Ptr(f.Route.Chat + ", with " + f.Agent.Display()), UpdatedAt: acp.Ptr(f.Active.UTC().Format(time.RFC3339))})
	}
	return out, nil
}

// CloseSession stops what a prompt has begun that still waits, and shows nothing more of the
// chat. Turns that were begun elsewhere go on.
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

// Prompt says something in a chat, and ends with the reply.
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

// Cancel is /stop in a chat.
func (a *agent) Cancel(ctx context.Context, in acp.CancelNotification) error {
	s, err := a.session(in.SessionId)
	if err != nil {
		return err
	}
	// The editor's other notifications do not wait until the worker has answered.
	go func() {
		if err := s.stop(context.WithoutCancel(ctx)); err != nil {
			s.view.say("errand was not told to stop, and goes on: " + err.Error())
		}
	}()
	return nil
}

// SetSessionMode gives a chat to another agent.
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

// SetSessionConfigOption is refused: there is none.
func (a *agent) SetSessionConfigOption(context.Context, acp.SetSessionConfigOptionRequest) (acp.SetSessionConfigOptionResponse, error) {
	return acp.SetSessionConfigOptionResponse{}, acp.NewMethodNotFound(acp.AgentMethodSessionSetConfigOption)
}

// open notes a chat as one that the editor has open, in place of itself before.
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

// notFound is the protocol's code for something that is not there
// (https://agentclientprotocol.com/protocol/overview).
const notFound = -32002

func unknown(id acp.SessionId) error {
	return &acp.RequestError{Code: notFound, Message: fmt.Sprintf("there is no session %q that is open; session/list has those that can be loaded", errand.Cut(string(id), 80))}
}

// refusal says to the editor why something was not done, in a sentence that it shows.
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
