// Package mcpclient offers the tools of MCP servers to agents: it connects to the servers
// in errand.yaml, keeps their lists of tools current, and runs calls.
//
// What a server says (names, descriptions, results) is data for a model, never an
// instruction. errand limits and cleans it, and marks it as the server's.
package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/elect"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Server is one MCP server from the configuration.
type Server struct {
	Name    string
	Command []string // starts a server that uses stdin and stdout; empty: use URL
	URL     string   // of a server that uses HTTP

	Env     map[string]string // variables of the process, added to the few that every process gets
	Headers map[string]string // of each HTTP request
	Secrets []string          // values that were filled into Env and Headers
	OAuth   *OAuth            // nil: log in by Headers, or not at all

	// The tools to offer, by the server's names; a final "*" matches any rest; empty: all.
	Tools []string
	// By the server's names of tools; these override the server's hints.
	Effects  map[string]tools.Effect
	Approval core.ApprovalRule // when calls of its tools need approval; empty: never
	Trust    bool              // believe the server's hints about effects
	Single   bool              // only one worker of the installation runs it
	Timeout  time.Duration     // for one call; default: two minutes
}

// OAuth holds the client credentials (OAuth 2.1) registered with the server's
// authorization server.
type OAuth struct {
	ClientID     string
	ClientSecret string
}

// Queue returns the task queue of the workers that run the server. A server that uses HTTP
// has none, because every worker can call it.
func (s Server) Queue() string {
	if len(s.Command) == 0 {
		return ""
	}
	return "errand-mcp-" + s.Name
}

// A Registry holds the tools on offer.
type Registry interface {
	// Replace swaps all tools of a source at once.
	Replace(source string, list []tools.Tool) error
}

// Lists store what workers know about the servers, for all workers of an installation.
type Lists interface {
	NoteMCPServer(context.Context, store.MCPServer) error
	MCPServers(context.Context) ([]store.MCPServer, error)
}

// Artifacts store the files in results.
type Artifacts interface {
	KeepArtifact(context.Context, store.Call, store.NewArtifact) (core.ArtifactID, error)
}

// Options configure Servers.
type Options struct {
	Servers   []Server
	Patterns  []Pattern // from errand.yaml; patterns that match no tool are reported
	Tools     Registry
	Lists     Lists
	Leases    elect.Leases // decide which worker runs a Single server
	Artifacts Artifacts
	Worker    string // the name of this process in leases
	Version   string // of errand
	Folder    string // holds a folder for each started server
	Logger    *slog.Logger

	// Transport sends HTTP requests; default: http.DefaultTransport.
	Transport http.RoundTripper
	// Serve takes calls from a queue until ctx ends; nil: the queues are not served.
	Serve func(ctx context.Context, queue string)

	Pause        time.Duration // before the first reconnect, doubled each time; default: 1 s
	LongestPause time.Duration // default: 1 min
	StartTimeout time.Duration // for a server to start and list its tools; default: 30 s
	Patience     time.Duration // how long a call waits for a connection; default: 10 s
	LeaseTTL     time.Duration // of a Single server; default: that of package elect
	// How often other workers' lists are read; default: 15 s, never with one worker.
	Poll time.Duration

	listed       func() // called when a server has listed its tools
	mostMessages int    // unsolicited messages of a server within floodWithin; default: floodMessages
}

func (o *Options) setDefaults() {
	for _, d := range []struct {
		of *time.Duration
		by time.Duration
	}{{&o.Pause, time.Second}, {&o.LongestPause, time.Minute}, {&o.StartTimeout, 30 * time.Second}, {&o.Patience, 10 * time.Second}} {
		if *d.of == 0 {
			*d.of = d.by
		}
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
}

// Servers are the MCP servers of an installation, as one worker sees them. They are safe
// for concurrent use.
type Servers struct {
	o      Options
	conns  []*connection
	remote remoteServers
	warned sync.Map // the warnings that warnAnywhere has logged
}

// New returns the servers. Run connects to them.
func New(o Options) (*Servers, error) {
	o.setDefaults()
	s := &Servers{o: o, remote: remoteServers{o: &o}}
	s.o.listed = s.warnAnywhere
	for _, server := range o.Servers {
		if slices.ContainsFunc(s.conns, func(c *connection) bool { return c.Name == server.Name }) {
			return nil, fmt.Errorf("MCP server %q is configured twice", server.Name)
		}
		c := newConnection(server, &s.o)
		c.rank = len(s.conns) + 1
		s.conns = append(s.conns, c)
	}
	s.remote.own = s.conns
	return s, nil
}

// Known offers the tools that each server last listed, so that calls requested before a
// restart find their tool. It connects to no server.
func (s *Servers) Known(ctx context.Context) error { return s.remote.refresh(ctx, true) }

// Run keeps all servers connected until ctx ends. It retries a server that is down without
// delaying the others.
func (s *Servers) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, c := range s.conns {
		running.Go(func() { c.hold(ctx) })
	}
	if s.o.Poll > 0 {
		running.Go(func() { s.remote.watch(ctx) })
	}
	running.Wait()
}

// List returns the status of each server, including those of other workers, by name.
func (s *Servers) List() []Status {
	list := s.statuses()
	for _, text := range s.unmatchedAnywhere(list) {
		for i := range list {
			list[i].Unmatched = append(list[i].Unmatched, text)
		}
	}
	return list
}

func (s *Servers) statuses() []Status {
	list := s.remote.list()
	for _, c := range s.conns {
		list = append(list, c.status())
	}
	slices.SortFunc(list, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// ErrUnknown means that this worker has no such server or tool.
var ErrUnknown = errors.New("no such tool of an MCP server here")

// Try calls a tool of a server that this worker is connected to, outside any turn. It
// mentions the files of the result but does not store them.
func (s *Servers) Try(ctx context.Context, server, tool string, args []byte) (string, error) {
	for _, c := range s.conns {
		if c.Name != server {
			continue
		}
		e, ok := c.entry(tool)
		if !ok {
			return "", fmt.Errorf("%w: the server %s has no tool %q", ErrUnknown, server, core.Cut(tool, 80))
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		text, err := c.call(ctx, e, store.Call{}, args)
		if err != nil {
			text = "error: outcome unknown: " + err.Error()
		}
		return text, nil
	}
	return "", fmt.Errorf("%w: this worker runs no server %q", ErrUnknown, core.Cut(server, 40))
}
