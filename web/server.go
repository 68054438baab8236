// Package web is the HTTP server: the chat page, the task dashboard, the JSON
// API and the event streams.
//
// The pages are files of static/, embedded; they load nothing from elsewhere
// and use the same API that scripts use (static/openapi.json).
package web

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// Options configure a server. Only Backend is needed.
type Options struct {
	Backend Backend
	// Addr is the host:port that will be served. Unless it is a loopback
	// address, Token is needed. Default 127.0.0.1:8080.
	Addr string
	// Token is what clients must show; empty: nothing.
	Token string
	// Hosts are names under which the server may be addressed, besides those of
	// the loopback interface.
	Hosts  []string
	Logger *slog.Logger
	// WebUI is the address of the Temporal Web UI, for links to it.
	WebUI     string
	Namespace string // in Temporal, for the same links; default "default"
	// ReplyTimeout is how long a request may wait for a reply; default 5 min.
	ReplyTimeout time.Duration
	// Poll is how often streams look into the event log by themselves. It is
	// needed only where another process writes it; 0: never.
	Poll time.Duration
	// Heartbeat is how often a silent stream says that it lives; default 15 s.
	Heartbeat time.Duration
	Version   string
	DemoModel bool // the pages say that answers come from the demonstration model
	// Metrics, if set, adds lines to /metrics, in Prometheus' text format.
	Metrics func(context.Context, io.Writer)
	// Mount adds routes, by their ServeMux pattern, behind the same guard.
	Mount map[string]http.Handler
}

// A Server serves the pages and the API. It is safe for concurrent use.
type Server struct {
	Options
	handler http.Handler
	closing chan struct{} // closed when streams are to end
	closed  atomic.Bool
	count   counters
}

// New checks the options.
func New(o Options) (*Server, error) {
	if o.Backend == nil {
		return nil, errors.New("web: no backend")
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:8080"
	}
	if o.Token == "" && !loopbackAddr(o.Addr) {
		return nil, errors.New("web: serving " + o.Addr + " to others than this machine needs a token: set ERRAND_TOKEN")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Namespace == "" {
		o.Namespace = "default"
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 5 * time.Minute
	}
	if o.Heartbeat == 0 {
		o.Heartbeat = 15 * time.Second
	}
	s := &Server{Options: o, closing: make(chan struct{})}
	s.count.started = time.Now()
	s.handler = s.recovered(s.measured(s.guarded(s.mux())))
	return s, nil
}

// Handler returns all routes, guard included.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve answers on l until ctx is done, then ends the streams, lets other
// requests finish for some seconds, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if !s.closed.Swap(true) {
		close(s.closing)
	}
	// ctx is done already; the last requests have some seconds of their own.
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		s.Logger.Warn("requests cut off at shutdown", "error", err)
		server.Close()
	}
	<-ended
	return nil
}

// untilClosing returns r's context, ended also when the server shuts down: for
// whatever waits.
func (s *Server) untilClosing(r *http.Request) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(r.Context())
	go func() {
		select {
		case <-s.closing:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

func loopbackAddr(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
