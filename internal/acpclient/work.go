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

	"errand"
	"errand/internal/content"
	"errand/internal/stdio"
)

// Bounds of a program, and of its patience with errand.
const (
	startWithin  = time.Minute     // it has said hello, and has a session
	loadWithin   = 5 * time.Minute // it has taken up a session
	cancelWithin = 3 * time.Second // it has stopped by itself, once it was asked to
	quietFor     = time.Hour       // it says nothing, and waits for nobody
	longestWork  = 24 * time.Hour  // one piece of work, from its start
	longestID    = 200             // bytes of a session's id
	longestText  = 100_000         // characters of a result that are kept
	longestLine  = 10<<20 - 1<<10  // bytes of one message: the library takes 10 MB
	mostMessages = 20_000          // within ten seconds
)

// Work is one piece of work for an agent. Its functions may be called at the same time.
type Work struct {
	Task    errand.TaskID // that it is done for
	Session string        // to be taken up again; empty: a new one
	Prompt  string
	// Begun is told the id of a new session before the agent is asked for anything.
	Begun func(session string) error
	// Ask returns whether the agent may do something. While it waits the agent does. An error
	// stops the agent, and is what Work returns. Where the agent itself asks no more, the
	// cause of ctx's end is [ErrAskedNoMore].
	Ask func(ctx context.Context, p Permission) (bool, error)
	// Doing is told what the agent does, in a few words of its own.
	Doing func(text string)
}

// A Permission is what an agent asks for.
type Permission struct {
	Kind      string // of the call, by the protocol: "edit", "execute"; "other" where it says none
	Arguments string // the call as the agent describes it: a JSON object
	// Loads says that the agent can take up the session in another process.
	Loads bool
}

var (
	errQuiet    = fmt.Errorf("it has said nothing for %s", errand.Age(quietFor))
	errLongest  = fmt.Errorf("it was at work for %s", errand.Age(longestWork))
	errNoAnswer = errors.New("it did not answer in time")
)

// Work has an agent do one piece of work, in a process that ends with it, and returns what
// became of that. What goes wrong with the agent is a task that has failed; an error is
// a [*Busy], [ErrAway], [ErrLost], one that a function of w has returned, or the cause of ctx's end.
func (all *Agents) Work(ctx context.Context, name errand.AgentName, w Work) (errand.PeerTask, error) {
	agent, n, ok := all.find(name)
	if !ok {
		return errand.PeerTask{}, ErrAway
	}
	ctx, f, leave, err := n.enter(ctx, name, w.Task)
	if err != nil {
		return errand.PeerTask{}, err
	}
	defer leave()
	if err := all.confirm(ctx, f); err != nil {
		return errand.PeerTask{}, err
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
	// The next worker does not wait for this one: there is no time to ask the program to end.
	killed := make(chan struct{})
	goesOn := context.AfterFunc(ctx, func() {
		defer close(killed)
		if lost(ctx) {
			s.process.Kill()
		}
	})
	defer func() {
		if !goesOn() {
			<-killed // and not one that begins after it
		}
	}()
	outcome, err := s.run(ctx, conn, all.o.Version, f.path)
	switch cause := context.Cause(ctx); {
	case err == nil:
		return outcome, nil
	case errors.Is(cause, errQuiet), errors.Is(cause, errLongest):
		return failed("was stopped: " + cause.Error()), nil
	case cause != nil:
		return errand.PeerTask{}, cause
	case errors.Is(err, ErrLost), errors.Is(err, errOurs):
		return errand.PeerTask{}, err
	}
	why := s.why(conn, err)
	if err := all.confirm(ctx, f); err != nil {
		return errand.PeerTask{}, err // whoever has the folder has ended it
	}
	return failed(why), nil
}

// Check starts the program of an agent without work, and returns an error that says why it cannot
// work: the program is not found, speaks another version, or is not logged in.
func (all *Agents) Check(ctx context.Context, name errand.AgentName) error {
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

func newSession(ctx context.Context, w Work, name errand.AgentName, end func(error)) *session {
	return &session{Work: w, agent: name, end: end, over: ctx.Done(), calls: map[acp.ToolCallId]*call{}, waiting: make(chan struct{}, mostWaiting), asked: make(chan struct{})}
}

// start starts the program in a folder.
func (s *session) start(o Options, agent Agent, folder, mark string) (*acp.ClientSideConnection, error) {
	var busy atomic.Int64
	busy.Store(1) // what it writes to stderr may have words of people in it, from the start
	var err error
	s.process, err = stdio.Start(stdio.Program{Command: agent.Command, Folder: folder, Home: o.Home, Env: agent.Env, Mark: mark,
		Secrets: stdio.SecretsOf(agent.Env, agent.Secrets...), Protocol: "ACP", Busy: &busy, Longest: longestLine, Most: mostMessages, Logger: o.Logger.With("agent", agent.Name)})
	if err != nil {
		return nil, fmt.Errorf("cannot be started: %w", err)
	}
	s.lastMessage.Store(time.Now().UnixNano())
	lines := &screen{process: s.process, s: s, open: make(chan struct{})}
	conn := acp.NewClientSideConnection(client{s}, s.process, lines)
	conn.SetLogger(slog.New(slog.DiscardHandler)) // it would log the words of the agent
	close(lines.open)
	return conn, nil
}

// errOurs is in an error of errand's own.
var errOurs = errors.New("errand")

// failed is a task that has failed for a reason of the program's: no words of it pass for a
// reason of errand's own.
func failed(why string) errand.PeerTask {
	return errand.PeerTask{State: errand.Failed, Text: errand.Cut("The coding agent "+why, 2000)}
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
		return errand.Cut(fmt.Sprintf("%s is not logged in on this machine%s. Log in with its own program there, or give it a key in env of remote_agents. It names: %s",
			s.agent, asUser(), strings.Join(s.logins, "; ")), 1000)
	}
	if errors.As(err, &refused) {
		return fmt.Sprintf("has failed (%d): %s", refused.Code, cmp.Or(errand.Cut(content.OneLine(refused.Message+detail(refused.Data)), 1000), "it does not say why"))
	}
	return "was stopped: " + errand.Cut(content.OneLine(err.Error()), 1000)
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
		if name = errand.Cut(content.OneLine(name), 200); name != "" && len(list) < 5 {
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

// detail is what the data of an error says in words.
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

// hello agrees with the program on the protocol, and opens a session.
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

// run speaks with the program until it has done its work.
func (s *session) run(ctx context.Context, conn *acp.ClientSideConnection, version, folder string) (errand.PeerTask, error) {
	err := s.hello(ctx, conn, version, folder)
	if err != nil {
		return errand.PeerTask{}, err
	}
	s.live.Store(true)
	ended := make(chan struct{})
	defer close(ended)
	go s.watch(ended)
	answer := make(chan struct{})
	var got acp.PromptResponse
	go func() {
		defer close(answer)
		// It is told of a cancel, and not hung up on.
		got, err = conn.Prompt(context.WithoutCancel(ctx), acp.PromptRequest{SessionId: s.id, Prompt: []acp.ContentBlock{acp.TextBlock(s.Prompt)}})
	}()
	select {
	case <-answer:
	case <-ctx.Done():
		if !lost(ctx) {
			s.cancel(context.WithoutCancel(ctx), conn, answer)
		}
		return errand.PeerTask{}, context.Cause(ctx)
	}
	if err != nil {
		return errand.PeerTask{}, err
	}
	return s.outcome(got.StopReason), nil
}

// open begins a session, or takes one up.
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

// alive reports whether the program is spoken with.
func (s *session) alive(conn *acp.ClientSideConnection) bool {
	select {
	case <-conn.Done():
		return false
	default:
		return true
	}
}

// within bounds one exchange.
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
	go func() { // it may read nothing any more
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

func (s *session) outcome(reason acp.StopReason) errand.PeerTask {
	text := s.result()
	ended := func(state errand.TaskState, how string) errand.PeerTask {
		if text != "" {
			how += ". The last it said: " + text
		}
		return errand.PeerTask{ID: string(s.id), State: state, Text: errand.Cut(how, longestText)}
	}
	switch reason {
	case acp.StopReasonEndTurn:
		return errand.PeerTask{ID: string(s.id), State: errand.Completed, Text: cmp.Or(text, "(The coding agent has said nothing.)")}
	case acp.StopReasonRefusal:
		return ended(errand.Rejected, "The coding agent has refused")
	case acp.StopReasonMaxTokens:
		return ended(errand.Failed, "The coding agent has stopped: it has used up its tokens")
	case acp.StopReasonMaxTurnRequests:
		return ended(errand.Failed, "The coding agent has stopped: it may ask its model no more often")
	case acp.StopReasonCancelled:
		return ended(errand.Failed, "The coding agent has stopped: its turn was canceled there")
	}
	return ended(errand.Failed, "The coding agent has stopped, and does not say why")
}
