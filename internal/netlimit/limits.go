// Package netlimit keeps strangers from taking an HTTP server down with
// connections: it bounds how many there are, and how long one may stand still.
//
// A connection counts for the address of its peer until [Known] says whose it
// is, and then for that person. When the house is full, a connection gives way:
// an idle one of nobody known first, then one of nobody known that is busy, then an idle
// one of somebody known, each of whoever holds the most. So a stranger who opens
// thousands closes their own.
package netlimit

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// The time limits of every server.
const (
	headerTimeout = 10 * time.Second // to send the header of a request
	idleTimeout   = 2 * time.Minute  // between two requests
	warnEvery     = 10 * time.Second // at most, of each kind
)

// Options configure limits. The zero value is the default.
type Options struct {
	Logger *slog.Logger
	// Total bounds the connections; default: half of the files that the process
	// may open, and 4096 at most.
	Total int
	// PerAddress bounds the connections of one address (IPv6: of one /64) that are
	// of nobody known; default 64. Trusted peers pass on those of many.
	PerAddress int
	// PerPerson bounds the connections of somebody known; default: a quarter of Total.
	PerPerson int
	// Stall is how long a request body, or a reader of an answer, may stand still;
	// default 30 s. A stream to which nothing is written stands still unharmed.
	Stall time.Duration
	// Trusted reports whether a peer is a proxy, which connects for others.
	Trusted func(netip.Addr) bool
}

// Limits are the limits of one server. They are safe for concurrent use.
type Limits struct {
	Options
	mu      sync.Mutex
	conns   map[*conn]bool
	holding map[string]int       // connections by holder
	warned  map[string]time.Time // by message
	seen    uint64               // orders connections and their requests by age
}

// New makes limits.
func New(o Options) *Limits {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Total == 0 {
		o.Total = min(max(openFiles()/2, 64), 4096)
	}
	if o.PerAddress == 0 {
		o.PerAddress = 64
	}
	if o.PerPerson == 0 {
		o.PerPerson = max(o.Total/4, 1)
	}
	if o.Stall == 0 {
		o.Stall = 30 * time.Second
	}
	if o.Trusted == nil {
		o.Trusted = func(netip.Addr) bool { return false }
	}
	return &Limits{Options: o, conns: map[*conn]bool{}, holding: map[string]int{}, warned: map[string]time.Time{}}
}

// Server returns a server of h with these limits. It is to serve a listener of
// [Limits.Listener]; the caller may set what is not set.
func (l *Limits) Server(h http.Handler) *http.Server {
	return &http.Server{
		Handler:           l.Bodies(h),
		ReadHeaderTimeout: headerTimeout,
		IdleTimeout:       idleTimeout,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(l.Logger.Handler(), slog.LevelDebug), // the listener warns by itself
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
		ConnState: l.changed,
	}
}

type connKey struct{}

// Known says whose the connection of a request is, from now on. It fails with
// false if they hold too many: the request is to be refused.
func Known(ctx context.Context, person string) bool {
	c, ok := ctx.Value(connKey{}).(*conn)
	if !ok {
		return true // not a server of ours, such as one of a test
	}
	return c.limits.known(c, person)
}

func (l *Limits) known(c *conn, person string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	holder := "person " + person
	if !l.conns[c] || c.holder == holder {
		return true
	}
	if l.holding[holder] >= l.PerPerson && !l.evict(func(other *conn) bool { return other.holder == holder && other.idle }) {
		l.warn("too many connections of one person", "limit", l.PerPerson)
		return false
	}
	l.hold(c, holder)
	c.known = true
	return true
}

func (l *Limits) admit(c *conn, peer netip.Addr) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.home = "address " + network(peer)
	if !l.Trusted(peer) && l.holding[c.home] >= l.PerAddress &&
		!l.evict(func(other *conn) bool { return other.holder == c.home && other.idle }) {
		l.warn("too many connections of one address", "limit", l.PerAddress)
		return false
	}
	if len(l.conns) >= l.Total && !l.evictOne() {
		l.warn("too many connections", "limit", l.Total)
		return false
	}
	l.conns[c] = true
	l.seen++
	c.since, c.idle = l.seen, true
	l.hold(c, c.home)
	return true
}

// evictOne closes the connection that can be spared most.
func (l *Limits) evictOne() bool {
	return l.evict(func(c *conn) bool { return c.idle && !c.known }) ||
		l.evict(func(c *conn) bool { return !c.known }) ||
		l.evict(func(c *conn) bool { return c.idle })
}

// evict closes the oldest connection that can go, of the holder with the most.
func (l *Limits) evict(can func(*conn) bool) bool {
	var worst *conn
	for c := range l.conns {
		if !can(c) {
			continue
		}
		if worst == nil || l.holding[c.holder] > l.holding[worst.holder] ||
			l.holding[c.holder] == l.holding[worst.holder] && c.since < worst.since {
			worst = c
		}
	}
	if worst == nil {
		return false
	}
	l.forget(worst)
	// Not under the lock, which the end of a connection takes too.
	go worst.Conn.Close()
	return true
}

func (l *Limits) hold(c *conn, holder string) {
	l.release(c)
	c.holder = holder
	l.holding[holder]++
}

func (l *Limits) release(c *conn) {
	if c.holder == "" {
		return
	}
	if l.holding[c.holder]--; l.holding[c.holder] <= 0 {
		delete(l.holding, c.holder)
	}
	c.holder = ""
}

func (l *Limits) forget(c *conn) {
	if l.conns[c] {
		delete(l.conns, c)
		l.release(c)
	}
}

func (l *Limits) changed(nc net.Conn, state http.ConnState) {
	c, ok := nc.(*conn)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.conns[c] {
		return
	}
	l.seen++
	c.idle, c.since = state != http.StateActive, l.seen
	if c.idle && c.known && c.proxied {
		// The next request on it may be anybody's.
		c.known = false
		l.hold(c, c.home)
	}
}

// warn logs at warn, each message at most every few seconds. The caller holds the lock.
func (l *Limits) warn(message string, args ...any) {
	if now := time.Now(); now.Sub(l.warned[message]) >= warnEvery {
		l.warned[message] = now
		l.Logger.Warn(message+"; some are closed or refused", args...)
	}
}

// network returns what counts as one address: for IPv6 the /64 that one customer has.
func network(a netip.Addr) string {
	a = a.Unmap()
	if a.Is6() {
		if p, err := a.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return a.String()
}
