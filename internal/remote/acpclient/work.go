package acpclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coder/acp-go-sdk"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/remote/stdio"
)

const (
	startWithin  = time.Minute     // to answer initialize and open a session
	loadWithin   = 5 * time.Minute // to load a session
	cancelWithin = 3 * time.Second // to stop after a cancel request
	quietFor     = time.Hour       // without any message, while it waits for no permission
	longestWork  = 24 * time.Hour  // for one piece of work
	longestID    = 200             // bytes of a session id
	longestText  = 100_000         // characters of a result
	longestLine  = 10<<20 - 1<<10  // bytes of one message; the library's limit is 10 MB
	mostMessages = 20_000          // messages within ten seconds
)

// Work is one piece of work for an agent. Its functions may be called concurrently.
type Work struct {
	Task    core.TaskID // the task that it belongs to
	Session string      // the session to continue; empty: a new one
	Prompt  string
	// Begun receives the id of a new session before the agent gets its prompt.
	Begun func(session string) error
	// Ask decides whether the agent may do something. The agent waits for the answer. An error
	// stops the agent, and Work returns that error. If the agent withdraws the request, ctx
	// ends with the cause [ErrAskedNoMore].
	Ask func(ctx context.Context, p Permission) (bool, error)
	// Doing receives the agent's short description of what it is doing.
	Doing func(text string)
}

// A Permission is a request of an agent to do something.
type Permission struct {
	Kind      string // the protocol's kind of the call: "edit", "execute"; default "other"
	Arguments string // the agent's description of the call: a JSON object
	// Loads reports whether the agent can load the session in another process.
	Loads bool
}

var (
	errQuiet    = fmt.Errorf("it has said nothing for %s", core.Age(quietFor))
	errLongest  = fmt.Errorf("it was at work for %s", core.Age(longestWork))
	errNoAnswer = errors.New("it did not answer in time")
)

// Work runs one piece of work in its own process and returns the result. A failure of the
// agent is a failed task, not an error. The error is a [*Busy], [ErrAway], [ErrLost], one
// that a function of w has returned, or the cause of ctx's end.
func (all *Agents) Work(ctx context.Context, name core.AgentName, w Work) (core.PeerTask, error) {
	agent, n, ok := all.find(name)
	if !ok {
		return core.PeerTask{}, ErrAway
	}
	ctx, f, leave, err := n.enter(ctx, name, w.Task)
	if err != nil {
		return core.PeerTask{}, err
	}
	defer leave()
	if err := all.confirm(ctx, f); err != nil {
		return core.PeerTask{}, err
	}
	ctx, done := context.WithTimeoutCause(ctx, longestWork, errLongest)
	defer done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := newSession(ctx, w, name, end)
	conn, err := s.start(all.o, agent, f.path, f.mark())
	if err != nil {
		return failed(err.Error()), nil
	}
	defer s.process.Close()
	// If the folder is lost, kill the program: the next worker does not wait for this one.
	killed := make(chan struct{})
	goesOn := context.AfterFunc(ctx, func() {
		defer close(killed)
		if lost(ctx) {
			s.process.Kill()
		}
	})
	defer func() {
		if !goesOn() {
			<-killed // wait for a kill that has started
		}
	}()
	outcome, err := s.run(ctx, conn, all.o.Version, f.path)
	switch cause := context.Cause(ctx); {
	case err == nil:
		return outcome, nil
	case errors.Is(cause, errQuiet), errors.Is(cause, errLongest):
		return failed("was stopped: " + cause.Error()), nil
	case cause != nil:
		return core.PeerTask{}, cause
	case errors.Is(err, ErrLost), errors.Is(err, errOurs):
		return core.PeerTask{}, err
	}
	why := s.why(conn, err)
	if err := all.confirm(ctx, f); err != nil {
		return core.PeerTask{}, err // the worker that holds the folder has ended the program
	}
	return failed(why), nil
}

// Check starts the program of an agent without giving it work. The error says why the program
// cannot work: it is missing, speaks another version of the protocol, or is not logged in.
func (all *Agents) Check(ctx context.Context, name core.AgentName) error {
	agent, _, ok := all.find(name)
	if !ok {
		return ErrAway
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	s := newSession(ctx, Work{Begun: func(string) error { return nil }}, name, end)
	conn, err := s.start(all.o, agent, agent.Folder, stdio.MarkOf("check "+string(name)))
	if err == nil {
		defer s.process.Close()
		if err = s.hello(ctx, conn, all.o.Version, agent.Folder); err != nil {
			err = errors.New(s.why(conn, err))
		}
	}
	return err
}

func newSession(ctx context.Context, w Work, name core.AgentName, end func(error)) *session {
	return &session{Work: w, agent: name, end: end, over: ctx.Done(), calls: map[acp.ToolCallId]*call{}, waiting: make(chan struct{}, mostWaiting), asked: make(chan struct{})}
}

func (s *session) start(o Options, agent Agent, folder, mark string) (*acp.ClientSideConnection, error) {
	var busy atomic.Int64
	busy.Store(1) // its standard error may quote people from the start
	var err error
	s.process, err = stdio.Start(stdio.Program{Command: agent.Command, Folder: folder, Home: o.Home, Env: agent.Env, Mark: mark,
		Secrets: stdio.SecretsOf(agent.Env, agent.Secrets...), Protocol: "ACP", Busy: &busy, Longest: longestLine, Most: mostMessages, Logger: o.Logger.With("agent", agent.Name)})
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	s.lastMessage.Store(time.Now().UnixNano())
	lines := &screen{process: s.process, s: s, open: make(chan struct{})}
	conn := acp.NewClientSideConnection(client{s}, s.process, lines)
	conn.SetLogger(slog.New(slog.DiscardHandler)) // the library would log the agent's words
	close(lines.open)
	return conn, nil
}

// errOurs marks errand's own errors.
var errOurs = errors.New("errand")

// failed returns a failed task. It marks the program's words, so that they never look
// like errand's own.
func failed(why string) core.PeerTask {
	return core.PeerTask{State: core.Failed, Text: core.Cut("The coding agent "+why, 2000)}
}

func (s *session) why(conn *acp.ClientSideConnection, err error) string {
	var refused *acp.RequestError
	switch {
	case errors.Is(err, errNoAnswer), errors.Is(err, errWrong):
		return "was stopped: " + err.Error()
	}
	select {
	case <-conn.Done():
		return "was stopped: " + s.process.Describe(stdio.ErrClosed).Error()
	default:
	}
	if errors.As(err, &refused) && refused.Code == authRequired && len(s.logins) > 0 {
		return core.Cut(fmt.Sprintf("%s is not logged in on this machine%s. Log in with its own program there, or give it a key in env of remote_agents. It names: %s",
			s.agent, asUser(), strings.Join(s.logins, "; ")), 1000)
	}
	if errors.As(err, &refused) {
		return fmt.Sprintf("has failed (%d): %s", refused.Code, cmp.Or(core.Cut(content.OneLine(refused.Message+detail(refused.Data)), 1000), "it does not say why"))
	}
	return "was stopped: " + core.Cut(content.OneLine(err.Error()), 1000)
}

const authRequired = -32000

func loginsOf(methods []acp.AuthMethod) []string {
	var list []string
	for _, m := range methods {
		var name, about string
		switch {
		case m.EnvVar != nil:
			name, about = m.EnvVar.Name, acpText(m.EnvVar.Description)
		case m.Terminal != nil:
			name, about = m.Terminal.Name, acpText(m.Terminal.Description)
		case m.Agent != nil:
			name, about = m.Agent.Name, acpText(m.Agent.Description)
		}
		if about != "" {
			name += " (" + about + ")"
		}
		if name = core.Cut(content.OneLine(name), 200); name != "" && len(list) < 5 {
			list = append(list, name)
		}
	}
	return list
}

func acpText(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func asUser() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return " as the user " + u.Username
}

func detail(data any) string {
	fields, _ := data.(map[string]any)
	for _, name := range []string{"details", "message", "error"} {
		if text, ok := fields[name].(string); ok {
			return ": " + text
		}
	}
	return ""
}

var errWrong = errors.New("its answer cannot be used")

func (s *session) hello(ctx context.Context, conn *acp.ClientSideConnection, version, folder string) error {
	hello, err := within(ctx, startWithin, func(ctx context.Context) (acp.InitializeResponse, error) {
		return conn.Initialize(ctx, acp.InitializeRequest{ProtocolVersion: acp.ProtocolVersionNumber,
			ClientInfo: &acp.Implementation{Name: "errand", Version: cmp.Or(version, "0")}})
	})
	switch {
	case err != nil:
		return err
	case hello.ProtocolVersion != acp.ProtocolVersionNumber:
		return fmt.Errorf("%w: it speaks version %d of the protocol, and errand %d", errWrong, hello.ProtocolVersion, acp.ProtocolVersionNumber)
	}
	s.loads, s.logins = hello.AgentCapabilities.LoadSession, loginsOf(hello.AuthMethods)
	return s.open(ctx, conn, folder)
}

func (s *session) run(ctx context.Context, conn *acp.ClientSideConnection, version, folder string) (core.PeerTask, error) {
	err := s.hello(ctx, conn, version, folder)
	if err != nil {
		return core.PeerTask{}, err
	}
	s.live.Store(true)
	ended := make(chan struct{})
	defer close(ended)
	go s.watch(ended)
	answer := make(chan struct{})
	var got acp.PromptResponse
	go func() {
		defer close(answer)
		// Send the program a cancel request instead of closing the connection.
		got, err = conn.Prompt(context.WithoutCancel(ctx), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock(s.Prompt)}})
	}()
	select {
	case <-answer:
	case <-ctx.Done():
		if !lost(ctx) {
			s.cancel(context.WithoutCancel(ctx), conn, answer)
		}
		return core.PeerTask{}, context.Cause(ctx)
	}
	if err != nil {
		return core.PeerTask{}, err
	}
	return s.outcome(got.StopReason), nil
}

func (s *session) open(ctx context.Context, conn *acp.ClientSideConnection, folder string) error {
	if s.Session != "" {
		if !s.loads {
			return ErrLost
		}
		s.id = acp.SessionId(s.Session)
		_, err := within(ctx, loadWithin, func(ctx context.Context) (acp.LoadSessionResponse, error) {
			return conn.LoadSession(ctx, acp.LoadSessionRequest{SessionId: s.id, Cwd: folder, McpServers: []acp.McpServer{}})
		})
		var refused *acp.RequestError
		if errors.As(err, &refused) && s.alive(conn) {
			return ErrLost
		}
		return err
	}
	created, err := within(ctx, startWithin, func(ctx context.Context) (acp.NewSessionResponse, error) {
		return conn.NewSession(ctx, acp.NewSessionRequest{Cwd: folder, McpServers: []acp.McpServer{}})
	})
	if err != nil {
		return err
	}
	if id := string(created.SessionId); id == "" || len(id) > longestID || !utf8.ValidString(id) || strings.ContainsFunc(id, unicode.IsControl) {
		return fmt.Errorf("%w: it has given its session an id that cannot be kept", errWrong)
	}
	s.id = created.SessionId
	if err := s.Begun(string(s.id)); err != nil {
		return fmt.Errorf("%w: %w", errOurs, err)
	}
	return nil
}

func (s *session) alive(conn *acp.ClientSideConnection) bool {
	select {
	case <-conn.Done():
		return false
	default:
		return true
	}
}

func within[T any](ctx context.Context, most time.Duration, do func(context.Context) (T, error)) (T, error) {
	bounded, done := context.WithTimeout(ctx, most)
	defer done()
	got, err := do(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		err = errNoAnswer
	}
	return got, err
}

func (s *session) cancel(ctx context.Context, conn *acp.ClientSideConnection, answer <-chan struct{}) {
	ctx, done := context.WithTimeout(ctx, cancelWithin)
	defer done()
	go func() { // the write may block if the program no longer reads
		_ = conn.Cancel(ctx, acp.CancelNotification{SessionId: s.id})
		close(s.asked)
	}()
	select {
	case <-answer:
	case <-ctx.Done():
	}
}

func (s *session) watch(ended <-chan struct{}) {
	tick := time.NewTicker(quietFor / 60)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
			if len(s.waiting) > 0 {
				s.lastMessage.Store(time.Now().UnixNano())
			} else if time.Since(time.Unix(0, s.lastMessage.Load())) > quietFor {
				s.end(errQuiet)
			}
		}
	}
}

func (s *session) outcome(reason acp.StopReason) core.PeerTask {
	text := s.result()
	ended := func(state core.TaskState, how string) core.PeerTask {
		if text != "" {
			how += ". The last it said: " + text
		}
		return core.PeerTask{ID: string(s.id), State: state, Text: core.Cut(how, longestText)}
	}
	switch reason {
	case acp.StopReasonEndTurn:
		return core.PeerTask{ID: string(s.id), State: core.Completed, Text: cmp.Or(text, "(The coding agent has said nothing.)")}
	case acp.StopReasonRefusal:
		return ended(core.Rejected, "The coding agent has refused")
	case acp.StopReasonMaxTokens:
		return ended(core.Failed, "The coding agent has stopped: it has used up its tokens")
	case acp.StopReasonMaxTurnRequests:
		return ended(core.Failed, "The coding agent has stopped: it may ask its model no more often")
	case acp.StopReasonCancelled:
		return ended(core.Failed, "The coding agent has stopped: its turn was canceled there")
	}
	return ended(core.Failed, "The coding agent has stopped, and does not say why")
}
