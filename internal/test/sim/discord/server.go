// Package discord is a simulated Discord, REST and gateway, for tests and to try
// errand on: it keeps the platform's rules, records what people would see, and fails
// when it is ordered to.
//
// A library that believes to talk to discord.com is brought here by its HTTP
// client and its websocket dialer alone, so that several servers live in one
// process:
//
//	server, err := discord.Start(discord.Options{})
//	bot := server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})
//	session, err := discordgo.New("Bot " + bot.Token)
//	session.Client, session.Dialer = server.Client(), server.Dialer()
//
// [discord.Redirect] does the same for another process, which knows the URL only.
//
// What it knows is a part of https://docs.discord.com/developers/reference; a
// route it does not know is answered as Discord answers one that does not exist.
package discord

import (
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels/discord"
)

// Options is how the platform behaves. Its zero value is how Discord does.
type Options struct {
	// Addr is where it listens; default a free port of the loopback.
	Addr string
	// Heartbeat is how often clients are asked to beat; default 41.25 s.
	Heartbeat time.Duration
	// PerRoute is how many calls of one route for one channel, guild or webhook
	// fit into 5 s; default 5, which is what messages get: Discord does not
	// publish its limits. Global is how many calls of a bot fit into a second;
	// default 50. Below zero: as many as it likes.
	PerRoute, Global int
	// IdentifyEvery is how far apart a bot may identify; default 5 s, below zero:
	// whenever it likes. Too early is answered with an invalid session.
	IdentifyEvery time.Duration
	// ResumeFor is how long a session waits for its client; default 2 min.
	ResumeFor time.Duration
	// NonceFor is how long a nonce is remembered; default 3 min. Discord says "a
	// few minutes".
	NonceFor time.Duration
	Now      func() time.Time // default time.Now
}

// A Server is the platform. It outlives the processes that talk to it, and is
// safe for concurrent use.
type Server struct {
	opts     Options
	http     *http.Server
	listener net.Listener
	mux      *http.ServeMux
	closed   chan struct{}

	mu       sync.Mutex
	bots     []*Bot
	people   map[string]*Person
	guilds   map[string]*Guild
	channels map[string]*Channel
	files    map[string]*stored      // by path on the CDN
	presses  map[string]*Interaction // by token
	sessions map[string]*session     // by id
	conns    map[*conn]struct{}
	windows  map[string]*window    // of rate limits
	nonces   map[string]remembered // by author and nonce
	calls    []*Call
	faults   map[Route][]Fault
	cut      map[Route]int
	changed  chan struct{}
	lastID   int64
}

// Start returns a platform with nobody on it. Close ends it.
func Start(o Options) (*Server, error) {
	def := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	def(&o.Heartbeat, 41250*time.Millisecond)
	def(&o.IdentifyEvery, 5*time.Second)
	def(&o.ResumeFor, 2*time.Minute)
	def(&o.NonceFor, 3*time.Minute)
	if o.PerRoute == 0 {
		o.PerRoute = 5
	}
	if o.Global == 0 {
		o.Global = 50
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, err
	}
	s := &Server{opts: o, listener: listener, closed: make(chan struct{}),
		people: map[string]*Person{}, guilds: map[string]*Guild{}, channels: map[string]*Channel{}, files: map[string]*stored{},
		presses: map[string]*Interaction{}, sessions: map[string]*session{}, conns: map[*conn]struct{}{}, windows: map[string]*window{},
		nonces: map[string]remembered{}, faults: map[Route][]Fault{}, cut: map[Route]int{}, changed: make(chan struct{})}
	s.mux = s.routes()
	s.http = &http.Server{Handler: s}
	go s.http.Serve(listener) // ends with Close
	return s, nil
}

// URL is where the platform listens, as http://host:port.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() }

// Client returns a client for which discord.com and its CDN are this server.
func (s *Server) Client() *http.Client {
	client, _, _ := discord.Redirect(s.URL()) // fails only for an invalid URL
	return client
}

// Dialer returns a dialer for which gateway.discord.gg is this server.
func (s *Server) Dialer() *websocket.Dialer {
	_, dialer, _ := discord.Redirect(s.URL())
	return dialer
}

// Close ends every connection and stops listening.
func (s *Server) Close() {
	s.mu.Lock()
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	for c := range s.conns {
		c.drop()
	}
	s.mu.Unlock()
	s.http.Close()
	s.listener.Close() // s.http does not know it until Serve has begun
}

// Changed returns a channel that is closed at the next thing that happens.
func (s *Server) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// happened wakes all waiters. The caller holds mu.
func (s *Server) happened() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// A Call is a request that a client made, or what it asked the gateway for.
type Call struct {
	Route  Route
	Bot    *Bot   // nil if the route needs no token, or the token is wrong
	Path   string // with the query
	Body   string // the JSON, without files
	Status int    // 0: it was not answered, or not yet
	At     time.Time
}

// Calls returns the calls of a route, in order.
func (s *Server) Calls(route Route) []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []Call
	for _, c := range s.calls {
		if c.Route == route {
			list = append(list, *c)
		}
	}
	return list
}

// Count returns how often each route was called.
func (s *Server) Count() map[Route]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[Route]int{}
	for _, c := range s.calls {
		n[c.Route]++
	}
	return n
}

func (s *Server) botWith(token string) *Bot {
	if i := slices.IndexFunc(s.bots, func(b *Bot) bool { return b.Token == token }); i >= 0 {
		return s.bots[i]
	}
	return nil
}
