// Package web is the HTTP server: the pages, the JSON API
// and its event streams.
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

	"errand"
	"errand/internal/limit"
	"errand/internal/metrics"
	"errand/internal/netlimit"
	"errand/internal/rights"
)

// Options configure a server. Backend and Person are needed.
type Options struct {
	Backend Backend
	Person  errand.PersonID // the owner, whose Key and Token are
	Rights  *rights.Table   // default: as shipped
	Logger  *slog.Logger
	Key     string // the owner's, drawn; empty: there is none
	Token   string // the owner's too, which somebody has thought of; empty: there is none
	// Installation tells the cookies of two installations on one host apart.
	Installation string
	Public       bool     // other machines can reach the server, by its address
	PublicURL    string   // where people reach it through a proxy, as "https://errand.example.org"
	Names        []string // of this machine, by which others may call a public server
	// Addresses are where other machines reach a public server; nil: they do not.
	Addresses func() []string
	// Trusted reports whether a peer is a proxy that is believed when it says for
	// whom it asks; default: nobody is.
	Trusted func(netip.Addr) bool
	Limits  netlimit.Options // of connections
	// RateRows, if set, count attempts to log in for all workers of the installation.
	RateRows limit.Rows
	// Hooks are what platforms call, by path. They know by themselves who may, and
	// how much: no login, name or origin is asked for.
	Hooks map[string]http.Handler
	// Doors are for programs that speak another protocol than the API's, by path. Who comes
	// by one shows a token.
	Doors map[string]Door
	// Card says to agents of other systems what errand's are, whoever asks; nil: nothing does.
	Card Door
	// Commands are what people can type after a slash, in a language; nil: none are listed.
	Commands func(language string) []Command
	Metrics  *metrics.Metrics // of this process; nil: nothing is counted
	WebUI    string           // address of the Temporal Web UI; empty: no links to it
	Demo     bool             // say that the demonstration model answers
	Version  string
	// Programs says what runs programs of agents on this worker, for people.
	Programs string
	// Crowded returns the agents that have more tools than their models take; nil: none.
	Crowded func() []errand.CrowdedAgent
	// Origins are those whose pages may call OpenAI's API from a browser.
	Origins []string
	// ReplyTimeout is how long a request waits for its reply; default 5 min.
	// The reply comes to the event log all the same.
	ReplyTimeout time.Duration
	// Beat is how often a silent stream says that it is still there, so that
	// nothing in between takes it for dead, and looks whether it still may be;
	// default 15 s.
	Beat time.Duration
}

// A Server serves pages and API.
type Server struct {
	Options
	handler    http.Handler
	assets     *assets                // of pages
	operations []operation            // the API
	document   func() ([]byte, error) // that describes it
	attempts   *addressLimit          // to log in
	asks       *addressLimit          // to be let in
	wrong      *addressLimit          // tokens that were not valid
	streams    streams                // of events
	uploads    *uploads               // requests with large bodies
	ready      readiness              // as it was last told
	ending     context.Context        // done when the server ends: streams end then
	end        context.CancelFunc
}

//go:embed static/*.html static/*.css static/*/*.css static/*.svg static/*.png static/manifest.json bundle
var parts embed.FS

// New makes a server.
func New(o Options) (*Server, error) {
	if o.Backend == nil || o.Person == "" {
		return nil, errors.New("web: no backend or no person")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Rights == nil {
		o.Rights = rights.Default()
	}
	if o.ReplyTimeout == 0 {
		o.ReplyTimeout = 5 * time.Minute
	}
	if o.Trusted == nil {
		o.Trusted = func(netip.Addr) bool { return false }
	}
	if o.Beat == 0 {
		o.Beat = 15 * time.Second
	}
	s := &Server{Options: o, uploads: newUploads(), attempts: o.newAddressLimit("login", 6*time.Second, 10), asks: o.newAddressLimit("asks", time.Minute, 5),
		wrong: o.newAddressLimit("token", 6*time.Second, 30)}
	// A short token of the installation can be guessed from many addresses together. Only that
	// token, and tokens that are wrong, are refused then.
	s.wrong.total = true
	s.ending, s.end = context.WithCancel(context.Background()) // Serve's begins later
	var err error
	if s.assets, err = ownAssets(); err != nil {
		return nil, err
	}
	s.operations = s.api()
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

// Handler returns the whole of it, checks included.
func (s *Server) Handler() http.Handler { return s.handler }

// Serve serves l until ctx is done, and then ends gracefully.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limits := s.Limits
	limits.Logger, limits.Trusted = s.Logger, s.Trusted
	limit := netlimit.New(limits)
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
		<-ended // Serve returns when the end begins, not when it is over
	}
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
