package limit

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// The timeouts of every server.
const (
	headerTimeout = 10 * time.Second // to send the header of a request
	idleTimeout   = 2 * time.Minute  // between two requests
	writeTimeout  = 30 * time.Second // for a client to accept the next part of a response
	warnEvery     = 10 * time.Second // at most
)

// RequestTimeout limits how long a request with its body may take to arrive.
const RequestTimeout = 5 * time.Minute

// ConnectionOptions configure limits of connections. The zero value is the default.
type ConnectionOptions struct {
	Logger *slog.Logger
	// Total limits the connections; default: half of the files that the process may open, up to
	// 4096. One person may have a quarter of them.
	Total int
	// PerAddress limits the connections of one address (IPv6: of one /64) that have no known
	// person; default 64.
	PerAddress int
	// Trusted reports whether a peer is a proxy, to which PerAddress does not apply.
	Trusted func(netip.Addr) bool
}

// Connections limits the connections of one server. It is safe for concurrent use.
type Connections struct {
	ConnectionOptions
	mu      sync.Mutex
	conns   map[*conn]bool
	holding map[string]int // connections by holder
	warned  time.Time
}

// NewConnections returns the limits of one server.
func NewConnections(o ConnectionOptions) *Connections {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Trusted == nil {
		o.Trusted = func(netip.Addr) bool { return false }
	}
	o.Total = cmp.Or(o.Total, min(max(openFiles()/2, 64), 4096))
	o.PerAddress = cmp.Or(o.PerAddress, 64)
	return &Connections{ConnectionOptions: o, conns: map[*conn]bool{}, holding: map[string]int{}}
}

// Server returns a server for h with these limits. Use it with a listener of
// [Connections.Listener].
func (l *Connections) Server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       RequestTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(l.Logger.Handler(), slog.LevelDebug), // the listener logs warnings itself
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState: l.setState,
	}
}

type connKey struct{}

// Identify counts the connection of a request for a person instead of its address.
func Identify(ctx context.Context, person string) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.limits.identify(c, "person "+person)
	}
}

func (l *Connections) identify(c *conn, holder string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.conns[c] || c.holder == holder {
		return
	}
	if l.holding[holder] >= max(l.Total/4, 1) {
		l.warn("too many connections of one person", "limit", l.Total/4)
		l.evict(func(other *conn) bool { return other.holder == holder })
	}
	l.hold(c, holder)
}

func (l *Connections) admit(c *conn, peer netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.address, c.proxied = "address "+Network(peer), l.Trusted(peer)
	if !c.proxied && l.holding[c.address] >= l.PerAddress && !l.evict(func(other *conn) bool { return other.holder == c.address && !other.busy }) {
		l.warn("too many connections of one address", "limit", l.PerAddress)
		return false
	}
	if len(l.conns) >= l.Total {
		l.warn("too many connections", "limit", l.Total)
		l.evict(nil)
	}
	l.conns[c], c.since = true, time.Now()
	l.hold(c, c.address)
	return true
}

func (l *Connections) evict(can func(*conn) bool) bool {
	var worst *conn
	for c := range l.conns {
		if (can == nil || can(c)) && (worst == nil || cmp.Or(l.spare(c)-l.spare(worst), worst.since.Compare(c.since)) > 0) {
			worst = c
		}
	}
	if worst == nil {
		return false
	}
	l.forget(worst)
	go worst.Conn.Close() // Close needs the lock, too
	return true
}

func (l *Connections) spare(c *conn) int {
	n := 2 * l.holding[c.holder]
	if !c.busy {
		n++
	}
	if c.holder == c.address {
		n += 1 << 20 // no known person uses it
	}
	return n
}

func (l *Connections) hold(c *conn, holder string) {
	if l.holding[c.holder]--; l.holding[c.holder] <= 0 {
		delete(l.holding, c.holder)
	}
	if c.holder = holder; holder != "" {
		l.holding[holder]++
	}
}

func (l *Connections) forget(c *conn) {
	if l.conns[c] {
		delete(l.conns, c)
		l.hold(c, "")
	}
}

func (l *Connections) setState(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.conns[c] {
		return
	}
	c.busy, c.since = state == http.StateActive, time.Now()
	if !c.busy && c.proxied {
		l.hold(c, c.address) // the next request may come from another person
	}
}

// warn logs at most every warnEvery. l.mu is held.
func (l *Connections) warn(message string, args ...any) {
	if now := time.Now(); now.Sub(l.warned) >= warnEvery {
		l.warned = now
		l.Logger.Warn(message+"; some are closed or refused", args...)
	}
}

// Network returns the network that counts as one address: for IPv6 the /64, which belongs to one
// customer.
func Network(a netip.Addr) string {
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
