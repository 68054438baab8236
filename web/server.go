// Package web is the HTTP server: the chat page, the tasks page, the JSON API
// and its event streams.
package web

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"time"

	"errand"
	"errand/gateway"
)

// Backend is what the pages and the API need; *gateway.Gateway is the one in
// production.
type Backend interface {
	Accept(context.Context, gateway.Inbound) (gateway.Accepted, error)
	Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error)
	LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error)
	Answers(ctx context.Context, e errand.Event, key errand.SessionKey, messageID string) (bool, error)
	MessageEvent(ctx context.Context, key errand.SessionKey, messageID string) (int64, error)
	Subscribe(errand.SessionKey) (events <-chan errand.Event, cancel func())

	Tasks(ctx context.Context, person errand.PersonID, key errand.SessionKey, states []errand.TaskState, limit int) ([]errand.Task, error)
	FindTask(ctx context.Context, prefix string, person errand.PersonID) (errand.Task, error)
	Delegate(context.Context, gateway.Delegation) (errand.Task, error)
	CancelTask(ctx context.Context, id errand.TaskID, reason string) (errand.Task, error)
	RetryTask(ctx context.Context, id errand.TaskID) (errand.Task, error)

	Outbox(ctx context.Context, states []errand.OutboxState, limit int) ([]errand.Notification, error)
	RetryOutbox(ctx context.Context, id int64) error
	DismissOutbox(ctx context.Context, id int64) error

	Sessions(context.Context, gateway.Actor, gateway.SessionFilter) ([]gateway.Session, error)
	Reset(context.Context, errand.SessionKey) (errand.SessionID, error)
	Agents() []gateway.Agent
	Pause(context.Context, errand.PersonID) error
	Resume(context.Context) error
	Paused(context.Context) (bool, error)
	Ready(context.Context) error
}

var _ Backend = (*gateway.Gateway)(nil)

// Options configure a server. Backend and Person are needed.
type Options struct {
	Backend Backend
	Person  errand.PersonID // who whoever may use the pages is
	Logger  *slog.Logger
	Token   string   // what clients must show; empty: nothing, and only loopback is served
	Hosts   []string // further names the server may be called by
	WebUI   string   // address of the Temporal Web UI; empty: no links to it
	Demo    bool     // say that the demonstration model answers
	Version string
	// ReplyTimeout is how long a request waits for its reply; default 5 min.
	// The reply comes to the event log all the same.
	ReplyTimeout time.Duration
	// Poll is how often the event log is read for what other processes wrote;
	// default 250 ms.
	Poll time.Duration
}

// A Server serves pages and API.
type Server struct {
	Options
	handler http.Handler
	done    chan struct{} // closed when the server ends: streams end then
}

//go:embed static
var static embed.FS

// New makes a server.
func New(o Options) (*Server, error) {
	if o.Backend == nil || o.Person == "" {
		return nil, errors.New("web: no backend or no person")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 5 * time.Minute
	}
	if o.Poll == 0 {
		o.Poll = 250 * time.Millisecond
	}
	files, err := fs.Sub(static, "static")
	if err != nil {
		return nil, err
	}
	s := &Server{Options: o, done: make(chan struct{})}
	mux := http.NewServeMux()
	s.routes(mux)
	mux.Handle("/", http.FileServerFS(files))
	s.handler = s.recovered(s.headers(s.hostChecked(http.NewCrossOriginProtection().Handler(s.authorized(mux)))))
	return s, nil
}

// Handler returns the whole of it, checks included.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve serves l until ctx is done, and then ends gracefully.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.Logger.Handler(), slog.LevelDebug),
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		close(s.done)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			s.Logger.Warn("pages not ended cleanly", "error", err)
		}
	})
	err := server.Serve(l)
	if !stop() {
		<-ended // Serve returns when the end begins, not when it is over
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
