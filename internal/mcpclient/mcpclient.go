// Package mcpclient makes the tools of MCP servers those of agents: it connects to the
// servers that errand.yaml names, keeps their lists of tools, and carries out calls.
//
// What a server says (names, descriptions, results) is material for a model to judge,
// never an instruction: it is bounded, cleaned and marked as the server's.
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

	"errand"
	"errand/internal/elect"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Server is one MCP server, as it is configured.
type Server struct {
	Name    string
	Command []string // of a server that is started here and spoken with by stdin and stdout; else URL
	URL     string   // of one that is spoken with by HTTP

	Env     map[string]string // of the started process, beside the few variables that it gets anyway
	Headers map[string]string // of each HTTP request
	Secrets []string          // that were filled into Env and Headers
	OAuth   *OAuth            // how to log in; nil: by Headers, or not at all

	Tools    []string                // which of its tools are used, by its own names, "*" at the end stands for any; empty: all
	Effects  map[string]tools.Effect // of its tools, by its own names; they count more than what the server says
	Approval errand.ApprovalRule     // by which its tools wait for a yes; empty: they do not
	Trust    bool                    // what it says about the effects of its tools is believed
	Single   bool                    // one worker of the installation runs it
	Timeout  time.Duration           // of one call; default: two minutes
}

// OAuth is a client that is registered with the server's authorization server (OAuth 2.1
// client credentials).
type OAuth struct {
	ClientID     string
	ClientSecret string
}

// Queue is the task queue on which only those workers listen that run the server.
// Servers that are spoken with by HTTP have none: every worker reaches them.
func (s Server) Queue() string {
	if len(s.Command) == 0 {
		return ""
	}
	return "errand-mcp-" + s.Name
}

// A Registry is where the tools of the servers are offered from.
type Registry interface {
	// Replace swaps all tools of a source at once.
	Replace(source string, list []tools.Tool) error
}

// Lists keep what the workers of an installation know of its servers.
type Lists interface {
	NoteMCPServer(context.Context, store.MCPServer) error
	MCPServers(context.Context) ([]store.MCPServer, error)
}

// Artifacts keep what is in a result besides text.
type Artifacts interface {
	KeepArtifact(context.Context, store.Call, store.NewArtifact) (errand.ArtifactID, error)
}

// Options are what Servers are made of.
type Options struct {
	Servers   []Server
	Patterns  []Pattern // of errand.yaml; those that match no tool are reported
	Tools     Registry
	Lists     Lists
	Leases    elect.Leases // decide which worker runs a server that only one may run
	Artifacts Artifacts
	Worker    string // what this process is called in leases
	Version   string // of errand
	Folder    string // in which each started server has one of its own
	Logger    *slog.Logger

	// Transport is what HTTP requests go by; default: http.DefaultTransport.
	Transport http.RoundTripper
	// Serve takes calls from a queue until ctx ends; nil: nobody does.
	Serve func(ctx context.Context, queue string)

	Pause        time.Duration // before a server that failed is tried again, doubled each time; default: 1 s
	LongestPause time.Duration // default: 1 min
	StartTimeout time.Duration // for a server to come up and list its tools; default: 30 s
	Patience     time.Duration // for which a call waits for a server that is not there; default: 10 s
	LeaseTTL     time.Duration // of a server that only one worker runs; default: 15 s
	Poll         time.Duration // how often the lists of other workers are read; default: 15 s, and never with one worker

	listed       func() // called when a server has listed its tools
	mostMessages int    // of a server within floodWithin that answer nothing; default: floodMessages
}

func (o *Options) setDefaults() {
	for _, d := range []struct {
		of *time.Duration
		by time.Duration
	}{{&o.Pause, time.Second}, {&o.LongestPause, time.Minute}, {&o.StartTimeout, 30 * time.Second}, {&o.Patience, 10 * time.Second}, {&o.LeaseTTL, 15 * time.Second}} {
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

// Servers are the MCP servers of a worker. They are safe for concurrent use.
type Servers struct {
	o      Options
	conns  []*connection
	remote remoteServers
	warned sync.Map // what warnAnywhere has logged
}

// New makes the servers; Run connects to them.
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

// Known offers the tools that were last seen of each server, so that calls which were
// asked for before a restart find their tool. Nothing is connected yet.
func (s *Servers) Known(ctx context.Context) error { return s.remote.refresh(ctx, true) }

// Run stays connected to all servers until ctx ends. A server that is down is tried
// again and again, and holds nobody up.
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

// List returns what is known of each server, those of other workers too, by name.
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

// ErrUnknown is that there is no such server or tool here.
var ErrUnknown = errors.New("no such tool of an MCP server here")

// Try calls a tool of a server that this worker is connected to, outside any turn: what
// a result brings besides text is told and not kept.
func (s *Servers) Try(ctx context.Context, server, tool string, args []byte) (string, error) {
	for _, c := range s.conns {
		if c.Name != server {
			continue
		}
		e, ok := c.entry(tool)
		if !ok {
			return "", fmt.Errorf("%w: the server %s has no tool %q", ErrUnknown, server, errand.Cut(tool, 80))
		}
		ctx, cancel := context.WithTimeout(ctx, c.Timeout)
		defer cancel()
		text, err := c.call(ctx, e, store.Call{}, args)
		if err != nil {
			text = "error: outcome unknown: " + err.Error()
		}
		return text, nil
	}
	return "", fmt.Errorf("%w: this worker runs no server %q", ErrUnknown, errand.Cut(server, 40))
}
