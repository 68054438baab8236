// Package web is the HTTP server: the pages, the JSON API and its event streams.
package web

import (
	"context"
	"embed"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/texts"
)

// Options configure a server. MayUse, CheckRate, Logins, Runner, Ready and Person are needed.
type Options struct {
	// MayUse returns an error unless the actor may use a route; [service.Env.MayUse] in production.
	MayUse func(by actor.Actor, k rights.Kind, name string) error
	// CheckRate returns an error if the actor has sent too many messages. It counts nothing.
	CheckRate func(by actor.Actor) error
	Logins    Logins
	Runner    *ops.Runner   // of the operations of package api
	Person    core.PersonID // the owner, whose Key and Token are
	Rights    *rights.Table // default: as shipped
	// Texts are errand's own; default: as shipped. Language is that of readers who have named none.
	Texts    *texts.Catalog
	Language string
	Logger   *slog.Logger
	Key      string // the owner's generated secret; empty: none
	Token    string // a secret that the owner chose, and that programs use; empty: none
	// Installation keeps the cookies of two installations on one host apart.
	Installation string
	Public       bool     // other machines can reach the server by its address
	PublicURL    string   // the address behind a proxy, such as "https://errand.example.org"
	Names        []string // host names of this machine that a public server accepts
	// Addresses returns the addresses by which other machines reach a public server; nil: none.
	Addresses func() []string
	// Trusted reports whether a peer is a proxy whose X-Forwarded headers count; default: none is.
	Trusted func(netip.Addr) bool
	Limits  limit.ConnectionOptions
	// RateRows, if set, limits attempts to log in across all workers of the installation.
	RateRows limit.Rows
	// Hooks handle webhook calls of platforms, by path. They authenticate and limit their callers
	// themselves: the server checks no login, host name or origin.
	Hooks map[string]http.Handler
	// Doors serve programs with a protocol other than the API's, by path. They require a token.
	Doors map[string]Door
	// Card describes errand's agents to agents of other systems, without a login; nil: no card.
	Card Door
	// Ready returns an error if errand cannot accept messages and work on them.
	Ready func(context.Context) error
	// Origins are the origins whose pages may call OpenAI's API from a browser.
	Origins []string
	// Beat is the time between heartbeats of a silent stream, so that no proxy closes it. The
	// server checks the caller's rights as often. Default 15 s.
	Beat time.Duration
}

type Server struct {
	Options
	handler    http.Handler
	assets     *assets
	operations []operation            // the API's
	document   func() ([]byte, error) // describes the API
	attempts   *addressLimit          // limits attempts to log in
	asks       *addressLimit          // limits requests for access
	wrong      *addressLimit          // limits attempts with invalid tokens
	streams    streams                // open event streams
	uploads    *uploads               // limits the memory of large bodies
	readiness  readiness
	ending     context.Context // done when the server stops; ends all streams
	end        context.CancelFunc
}

//go:embed static/*.html static/*.css static/*/*.css static/*.svg static/*.png static/manifest.json bundle
var parts embed.FS

// New makes a server, which does not listen yet.
func New(o Options) (*Server, error) {
	if o.MayUse == nil || o.CheckRate == nil || o.Logins == nil || o.Runner == nil || o.Ready == nil || o.Person == "" {
		return nil, errors.New("web: no MayUse, CheckRate, logins, runner, readiness or person")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Rights == nil {
		o.Rights = api.Rights()
	}
	if o.Trusted == nil {
		o.Trusted = func(netip.Addr) bool { return false }
	}
	if o.Beat == 0 {
		o.Beat = 15 * time.Second
	}
	s := &Server{Options: o, uploads: newUploads(), attempts: o.newAddressLimit("login", 6*time.Second, 10), asks: o.newAddressLimit("asks", time.Minute, 5),
		wrong: o.newAddressLimit("token", 6*time.Second, 30)}
	// Many addresses together could guess a short token of the installation. After too many wrong
	// tokens the server refuses that token and further wrong ones, but no others.
	s.wrong.total = true
	s.ending, s.end = context.WithCancel(context.Background()) // Serve gets its context later
	var err error
	if s.Texts == nil {
		if s.Texts, err = texts.New(nil); err != nil {
			return nil, err
		}
	}
	if s.assets, err = newAssets(s.Texts); err != nil {
		return nil, err
	}
	s.operations = append([]operation{s.triggerTask()}, s.mounted()...)
	s.document = sync.OnceValues(func() ([]byte, error) { return describe(s.operations) })
	mux := http.NewServeMux()
	s.routes(mux)
	mux.HandleFunc("/", s.getAsset)
	origin, err := s.originChecked()
	if err != nil {
		return nil, err
	}
	s.handler = s.recovered(s.headers(s.hooked(s.hostChecked(s.crossOrigin(s.identified(mux), origin(s.identified(mux)))))))
	return s, nil
}

// Handler returns the complete handler, including all checks.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve serves l until ctx is done, and then shuts down gracefully.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limits := s.Limits
	limits.Logger, limits.Trusted = s.Logger, s.Trusted
	limit := limit.NewConnections(limits)
	server := limit.Server(s.handler)
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		s.end()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(end); err != nil {
			s.Logger.Warn("pages not ended cleanly", "error", err)
		}
	})
	err := server.Serve(limit.Listener(l))
	if !stop() {
		<-ended // Serve returns when the shutdown begins, so wait for its end
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
