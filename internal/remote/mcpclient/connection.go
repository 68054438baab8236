package mcpclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/remote/stdio"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/tools"
)

const defaultTimeout = 2 * time.Minute

// A connection keeps one server connected, and offers its tools to agents.
type connection struct {
	Server
	o    *Options
	log  *slog.Logger
	rank int // rank of its tools, by its position in the configuration

	busy    atomic.Int64  // calls sent to the running process
	recheck chan struct{} // requests a check that the server still answers
	unkept  chan struct{} // signals failures that are not stored yet

	mu       sync.Mutex
	changed  chan struct{} // closed and replaced when the state changes
	session  *mcp.ClientSession
	state    State
	reason   string
	since    time.Time
	says     string
	protocol string
	entries  []entry
	leftOut  []string
	misfit   misfit
	remote   Status // the status at the worker that runs the server, if it is another one
	failures []Failure
	// Handlers of running calls, by progress token.
	progress map[string]func(*mcp.ProgressNotificationParams)
	calls    int64

	noting sync.Mutex // orders stores of the status, so that the latest wins
	kept   bool       // the current list of tools is stored; guarded by noting
}

func newConnection(s Server, o *Options) *connection {
	s.Timeout = cmp.Or(s.Timeout, defaultTimeout)
	return &connection{Server: s, o: o, log: o.Logger.With("mcp_server", s.Name), recheck: make(chan struct{}, 1), unkept: make(chan struct{}, 1), changed: make(chan struct{}),
		state: Connecting, since: time.Now(), progress: map[string]func(*mcp.ProgressNotificationParams){}}
}

func (c *connection) hold(ctx context.Context) {
	if c.Single {
		c.holdLeased(ctx)
		return
	}
	c.run(ctx)
}

// run reconnects until served ends. Calls in progress may finish.
func (c *connection) run(served context.Context) {
	ctx, end := context.WithCancel(context.WithoutCancel(served))
	var noting sync.WaitGroup
	defer noting.Wait()
	defer end()
	noting.Go(func() { c.noteFailures(ctx) })
	var serving sync.WaitGroup
	defer serving.Wait()
	serving.Go(func() {
		defer end()
		if queue := c.Queue(); queue != "" && c.o.Serve != nil {
			c.o.Serve(served, queue)
		}
		<-served.Done()
	})
	for failures := 0; ; failures++ {
		began := time.Now()
		err := c.connectOnce(ctx, failures%2 == 1)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > c.o.LongestPause {
			failures = 0
		}
		c.setDown(ctx, err)
		pause := c.o.LongestPause
		if failures < 16 {
			pause = min(pause, c.o.Pause<<failures)
		}
		timer := time.NewTimer(pause - time.Duration(rand.Int64N(int64(pause)/4+1))) // jitter
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// connectOnce runs one connection until it ends. Every second attempt uses the older
// handshake, because some servers do not survive the newer one.
func (c *connection) connectOnce(ctx context.Context, older bool) error {
	w, err := c.open()
	if err != nil {
		return fmt.Errorf("it cannot be started: %w", err)
	}
	defer w.close()
	starting, cancel := context.WithTimeout(ctx, c.o.StartTimeout)
	defer cancel()
	// Otherwise the SDK waits for responses to its requests.
	stop := context.AfterFunc(starting, w.abort)
	changes := make(chan struct{}, 1)
	client := c.client(changes)
	var how *mcp.ClientSessionOptions
	if older {
		how = &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"}
	}
	session, err := client.Connect(starting, w.transport, how)
	if err != nil {
		return w.describe(cmp.Or(starting.Err(), err))
	}
	l, err := c.list(starting, session, c.o.Patterns)
	if err != nil {
		return w.describe(cmp.Or(starting.Err(), err))
	}
	stop()
	c.setConnected(ctx, session, l)
	defer c.forget()
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	return c.stay(ctx, session, w, l, changes, ended)
}

// The list of tools is read again every relistEvery, but at most every relistLeast,
// because a server may report a thousand changes a second.
const (
	relistEvery = 10 * time.Minute
	relistLeast = 2 * time.Second
	freshLeast  = 30 * time.Second
	freshMost   = time.Hour
)

// stay keeps the list of tools current until the connection ends.
func (c *connection) stay(ctx context.Context, session *mcp.ClientSession, w *wire, l toolList, changes <-chan struct{}, ended <-chan error) error {
	for {
		every := relistEvery
		if l.fresh > 0 {
			every = min(max(l.fresh, freshLeast), freshMost)
		}
		timer := time.NewTimer(every)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case err := <-ended:
			timer.Stop()
			return w.describe(cmp.Or(err, stdio.ErrClosed))
		case <-timer.C:
		case <-changes:
		case <-c.recheck:
		}
		timer.Stop()
		asking, cancel := context.WithTimeout(ctx, c.o.StartTimeout)
		next, err := c.list(asking, session, c.o.Patterns)
		why := asking.Err()
		cancel()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return w.describe(cmp.Or(why, err))
		}
		l = next
		c.setConnected(ctx, session, l)
		quiet := time.NewTimer(relistLeast)
		select {
		case <-ctx.Done():
		case <-quiet.C:
		}
		quiet.Stop()
	}
}

// client returns an MCP client that offers the server no files, no models and no
// questions to a person.
func (c *connection) client(changes chan<- struct{}) *mcp.Client {
	client := mcp.NewClient(&mcp.Implementation{Name: "errand", Version: c.o.Version}, &mcp.ClientOptions{
		Logger:         slog.New(slog.DiscardHandler), // the SDK's log quotes the server
		Capabilities:   &mcp.ClientCapabilities{},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			signal(changes)
		},
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			token, _ := r.Params.ProgressToken.(string)
			c.mu.Lock()
			notify := c.progress[token]
			c.mu.Unlock()
			if notify != nil {
				notify(r.Params)
			}
		},
	})
	client.AddSendingMiddleware(smallPages)
	client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (_ mcp.Result, err error) {
			defer telemetry.RecoverPanic(c.log, "a message of an MCP server", &err)
			return next(ctx, method, req)
		}
	})
	return client
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default: // a signal is already pending
	}
}

func (c *connection) setConnected(ctx context.Context, session *mcp.ClientSession, l toolList) {
	says, protocol := "", ""
	if r := session.InitializeResult(); r != nil {
		protocol = core.Cut(content.OneLine(r.ProtocolVersion), 20)
		if r.ServerInfo != nil {
			says = core.Cut(content.OneLine(r.ServerInfo.Name+" "+r.ServerInfo.Version), 80)
		}
	}
	c.mu.Lock()
	first := c.state != Connected
	same := !first && c.misfit.equal(l.misfit) && slices.EqualFunc(c.entries, l.entries, entry.equal)
	if l.misfit.Blocked != "" {
		// Set a block before the tools are offered, and keep an old block until the new tools are.
		c.misfit = l.misfit
	}
	c.mu.Unlock()
	if !same {
		c.offer(l.entries) // calls of these tools wait for the session
	}
	c.mu.Lock()
	if first {
		c.since = time.Now()
	}
	c.session, c.state, c.reason, c.says, c.protocol, c.entries, c.leftOut = session, Connected, "", says, protocol, l.entries, l.leftOut
	c.misfit = l.misfit
	c.change()
	c.mu.Unlock()
	if same {
		return
	}
	c.log.Info("MCP server connected", "tools", len(l.entries), "protocol", protocol)
	if len(l.leftOut) > 0 {
		c.log.Warn("tools of an MCP server are left out", "left_out", l.leftOut)
	}
	for _, text := range l.misfit.Unmatched {
		c.log.Warn("errand.yaml names tools that the MCP server does not have", "unmatched", text)
	}
	if l.misfit.Blocked != "" {
		c.log.Error("MCP server is blocked", "reason", l.misfit.Blocked)
	}
	if c.o.listed != nil {
		c.o.listed()
	}
	c.note(ctx)
}

func (e entry) equal(other entry) bool {
	return e.Name == other.Name && e.Remote == other.Remote && e.Description == other.Description && e.Effect == other.Effect && string(e.Schema) == string(other.Schema)
}

func (c *connection) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = nil
	c.change()
}

// setDown keeps the tools on offer. A call of one returns the reason.
func (c *connection) setDown(ctx context.Context, err error) {
	reason := core.Cut(stdio.Masked(content.OneLine(err.Error()), secretsOf(c.Server)), 300)
	c.mu.Lock()
	same := c.state == Down && c.reason == reason
	if c.state != Down {
		c.since = time.Now()
	}
	c.state, c.reason = Down, reason
	c.change()
	c.mu.Unlock()
	if !same {
		c.log.Warn("MCP server is down; it is tried again", "reason", reason)
		c.note(ctx)
	}
}

// change wakes all waiters. c.mu is held.
func (c *connection) change() {
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *connection) offer(entries []entry) {
	if err := c.o.Tools.Replace(source(c.Name), c.toolsOf(entries)); err != nil {
		c.log.Error("the tools of an MCP server are not offered", "error", err)
	}
}

func source(server string) string { return "mcp:" + server }

func (c *connection) note(ctx context.Context) { c.noteWith(ctx, true) }

// noteWith stores the status. The list of tools may be megabytes, so it is written only if
// list is set or it is not stored yet.
func (c *connection) noteWith(ctx context.Context, list bool) {
	c.noting.Lock()
	defer c.noting.Unlock()
	s := c.status()
	if s.State == Elsewhere {
		return // the worker that runs the server stores the status
	}
	row := store.MCPServer{Name: c.Name, Worker: c.o.Worker, Queue: c.Queue(), State: string(s.State), Reason: s.Reason}
	var err error
	if list || !c.kept {
		c.kept = false
		c.mu.Lock()
		row.Tools, err = json.Marshal(c.entries)
		c.mu.Unlock()
	}
	if err == nil {
		row.About, err = json.Marshal(s.about())
	}
	if err == nil {
		err = c.o.Lists.NoteMCPServer(ctx, row)
	}
	if err == nil {
		c.kept = true
	} else if ctx.Err() == nil {
		c.log.Warn("what an MCP server offers is not kept for other workers", "error", err)
	}
}

func (c *connection) status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := Status{Name: c.Name, Wire: "stdio", State: c.state, Worker: c.o.Worker, Single: c.Single, Reason: c.reason, Since: c.since,
		Says: c.says, Protocol: c.protocol, LeftOut: slices.Clone(c.leftOut),
		Unmatched: slices.Clone(c.misfit.Unmatched), Blocked: c.misfit.Blocked, Failures: slices.Clone(c.failures), timeout: c.Timeout}
	if c.URL != "" {
		s.Wire = "http"
	}
	s.Tools = listed(c.entries, c.Approval)
	if c.state == Elsewhere {
		s.RemoteState, s.Worker, s.Reason, s.Says, s.Protocol, s.LeftOut = c.remote.RemoteState, c.remote.Worker, c.remote.Reason, c.remote.Says, c.remote.Protocol, c.remote.LeftOut
		s.Unmatched, s.Blocked = c.remote.Unmatched, c.remote.Blocked
		if !c.remote.Since.IsZero() {
			s.Since = c.remote.Since
		}
	}
	return s
}

func (c *connection) noteFailure(tool, reason string) {
	failure := Failure{At: time.Now().UTC().Round(0), Tool: tool, Reason: reason, Worker: c.o.Worker}
	c.mu.Lock()
	c.failures = mergeFailures(c.failures, []Failure{failure})
	c.mu.Unlock()
	signal(c.unkept)
}

// How often failures are stored, and the time limit for the store.
const (
	noteEvery   = 5 * time.Second
	noteTimeout = 5 * time.Second
)

// noteFailures stores failures for other workers: the first at once, then those of each
// period together. When ctx ends it stores the rest.
func (c *connection) noteFailures(ctx context.Context) {
	for over := false; !over; {
		select {
		case <-c.unkept:
		case <-ctx.Done():
			over = true
			select {
			case <-c.unkept:
			default:
				return
			}
		}
		keeping, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
		c.noteWith(keeping, false)
		cancel()
		timer := time.NewTimer(noteEvery)
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

func listed(entries []entry, approval core.ApprovalRule) []ListedTool {
	list := make([]ListedTool, len(entries))
	for i, e := range entries {
		list[i] = ListedTool{Name: e.Name, Effect: e.Effect, Role: leastRole, Approval: approval, Description: e.Description}
	}
	return list
}

func (c *connection) entry(name string) (entry, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range c.entries {
		if e.Name == name || e.Name == c.Name+"."+name || e.Remote == name {
			return e, true
		}
	}
	return entry{}, false
}

// learn adopts the tools that another worker or an earlier run has stored.
func (c *connection) learn(row store.MCPServer, kept []entry, others bool) error {
	entries := c.adapt(kept)
	remote, err := remoteStatus(row, entries)
	if err != nil {
		return err
	}
	if !row.Alive {
		remote.Reason += "; another one takes it over"
	}
	c.mu.Lock()
	if others {
		c.remote, c.failures = remote, mergeFailures(c.failures, remote.Failures)
	}
	take := len(c.entries) == 0 || others && c.state == Elsewhere && !slices.EqualFunc(c.entries, entries, entry.equal)
	if take {
		c.entries = entries
	}
	c.mu.Unlock()
	if take {
		c.offer(entries)
	}
	return nil
}

func (c *connection) toolsOf(entries []entry) []tools.Tool {
	list := make([]tools.Tool, len(entries))
	for i, e := range entries {
		list[i] = e.tool(c.Name, c.Queue(), c.Timeout)
		list[i].Approval, list[i].Untrusted, list[i].Rank = c.Approval, !c.Trust, c.rank
		list[i].Run = func(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
			return c.call(ctx, e, call, args)
		}
	}
	return list
}

// leastRole is the default minimum role for tools of servers.
const leastRole = core.Member

func (e entry) tool(server, queue string, timeout time.Duration) tools.Tool {
	about := fmt.Sprintf("A tool of the MCP server %s.", server)
	if e.Description != "" {
		about += " Its own description (untrusted data): " + e.Description
	}
	return tools.Tool{Name: e.Name, Description: about, Parameters: e.Schema, Effect: e.Effect, Doing: "doing.mcp", Role: leastRole, Queue: queue, Timeout: timeout}
}

func (c *connection) folder() string { return filepath.Join(c.o.Folder, c.Name) }
