// Package whatsapp is a simulated WhatsApp server, for tests and to try errand on.
// The clients of go.mau.fi/whatsmeow talk to it unmodified: it speaks the real wire
// (Noise over a websocket, binary nodes), keeps the platform's rules, remembers what
// people see, and misbehaves when told to.
//
// People are whatsmeow clients too, as are the phones that errand's account is
// linked to, so the encryption is real from end to end: the server never sees a
// text. What it knows of the protocol is what whatsmeow asks for; there is no
// public description of it to go by.
//
// A test makes a [Server], an account with [Server.AddAccount], and people with
// [Server.AddPerson]; it points errand's client at the server with
// [Server.Configure], and links it with [Account.Link], or as a phone does with
// [Account.Scan]. People act ([Person.Write]), and see ([Person.Sees]). Trouble
// is ordered from the person that it affects ([Person.Order],
// [Person.Hold], [Person.Drop]). [Server.Wait] waits for whatever it brings about.
package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
	waLog "go.mau.fi/whatsmeow/util/log"

	"errand/internal/channels/whatsapp"
)

// Options is how the platform behaves. Its zero value is how WhatsApp does.
type Options struct {
	// Addr is where to listen; default 127.0.0.1 and any free port.
	Addr string
	// Log is where the clients of people write; default nowhere.
	Log waLog.Logger
	// MaxMessage is how many bytes of a message each device may get; default 128 KiB.
	MaxMessage int
	// MaxMedia is how many bytes of a file may be uploaded; default 64 MiB.
	MaxMedia int64
	// PreKeys is how many one-time keys a device that is made by the server
	// starts with; default 30.
	PreKeys int
}

// A Server is the platform. It outlives the clients that talk to it, and is safe
// for concurrent use. Close ends it.
type Server struct {
	opts     Options
	url      string
	http     *http.Server
	listener net.Listener
	dir      string // where people's clients keep their stores
	stores   *sqlstore.Container
	cert     *certificate
	redirect func(*whatsmeow.Client) // to this server

	mu       sync.Mutex
	people   map[string]*Person // by phone, and by LID
	groups   map[types.JID]*Group
	links    map[string]*link // waiting to be scanned, by the ref in the QR text
	conns    map[*conn]bool
	frames   map[string]int  // messages accepted, by id
	once     map[string]bool // messages that may be seen once, by id
	files    map[string][]byte
	media    []int // status codes to answer with
	down     bool
	changed  chan struct{}
	next     int64
	shutdown bool
}

// New returns a platform with nobody on it, listening.
func New(o Options) (*Server, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Log == nil {
		o.Log = waLog.Noop
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = 128 << 10
	}
	if o.MaxMedia == 0 {
		o.MaxMedia = 64 << 20
	}
	if o.PreKeys == 0 {
		o.PreKeys = 30
	}
	cert, err := issue()
	if err != nil {
		return nil, fmt.Errorf("issue the server's certificate: %w", err)
	}
	s := &Server{opts: o, cert: cert, people: map[string]*Person{}, groups: map[types.JID]*Group{}, links: map[string]*link{},
		conns: map[*conn]bool{}, frames: map[string]int{}, once: map[string]bool{}, files: map[string][]byte{}, changed: make(chan struct{}), next: 1000}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Server) open() error {
	var err error
	if s.dir, err = os.MkdirTemp("", "whatsapp-"); err != nil {
		return err
	}
	if s.stores, err = OpenStore(context.Background(), filepath.Join(s.dir, "people.db")); err != nil {
		return err
	}
	l, err := net.Listen("tcp", s.opts.Addr)
	if err != nil {
		return err
	}
	s.listener, s.url = l, "http://"+l.Addr().String()
	if s.redirect, err = whatsapp.Redirect(s.url, nil); err != nil {
		return err
	}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second}
	go s.http.Serve(l)
	return nil
}

// URL is where clients find the server; see [Point].
func (s *Server) URL() string { return s.url }

// Close disconnects everybody, and forgets what people's clients kept.
func (s *Server) Close() error {
	s.mu.Lock()
	s.shutdown = true
	people := s.everybody()
	conns := s.conns
	s.conns = map[*conn]bool{}
	s.mu.Unlock()
	for _, p := range people {
		p.phone.Disconnect()
	}
	for c := range conns {
		c.ws.CloseNow()
	}
	var errs []error
	if s.http != nil {
		errs = append(errs, s.http.Close())
		s.listener.Close() // s.http does not know it until Serve has begun
	}
	if s.stores != nil {
		errs = append(errs, s.stores.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
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

// Wait returns when something is true, which is asked again whenever anything
// has happened on the platform, or when ctx ends.
func (s *Server) Wait(ctx context.Context, true func() bool) error {
	for {
		changed := s.Changed()
		if true() {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Accepted returns how often the server has accepted a message with this id.
func (s *Server) Accepted(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.frames[id]
}

func (s *Server) id() int64 { s.next++; return s.next }

func (s *Server) stanza() string { return strconv.FormatInt(s.id(), 10) }

// ServeHTTP answers the websocket and the uploads and downloads of media.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	down := s.shutdown || s.down && r.Header.Get(phoneHeader) == ""
	s.mu.Unlock()
	switch {
	case down:
		http.Error(w, "Service Unavailable", http.StatusServiceUnavailable)
	case r.URL.Path == "/ws/chat":
		s.socket(w, r)
	default:
		s.serveMedia(w, r)
	}
}
