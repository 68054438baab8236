package netlimit

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// Listener returns a listener whose connections are within the limits.
func (l *Limits) Listener(inner net.Listener) net.Listener { return &listener{inner, l} }

type listener struct {
	net.Listener
	limits *Limits
}

// Accept returns the next connection that there is room for. What goes wrong is
// logged: a server out of files would otherwise be silent.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			l.limits.refused(err)
			return nil, err
		}
		peer := addressOf(nc.RemoteAddr())
		c := &conn{Conn: nc, limits: l.limits, proxied: l.limits.Trusted(peer)}
		if l.limits.admit(c, peer) {
			return c, nil
		}
		nc.Close()
	}
}

// refused logs that a connection could not be accepted and, as files may have
// run out, gives up one.
func (l *Limits) refused(err error) {
	temporary, ok := err.(interface{ Temporary() bool })
	if !ok || !temporary.Temporary() {
		return // the listener is closed: its server says so
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evictOne()
	l.warn("connection not accepted", "error", err)
}

func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// A conn is one connection of a limited server. Its fields are under the lock of
// its limits.
type conn struct {
	net.Conn
	limits  *Limits
	proxied bool   // its peer connects for others
	home    string // who holds it while nobody is known
	holder  string
	known   bool
	idle    bool // no request is under way
	since   uint64
	closed  sync.Once
}

// mostWritten is how much is written under one deadline: a reader that is slow but
// reads has time for all of it.
const mostWritten = 64 << 10

// Write waits no longer for a reader that stands still than the limits allow.
func (c *conn) Write(b []byte) (int, error) {
	done := 0
	for {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(c.limits.Stall)); err != nil {
			return done, err
		}
		n, err := c.Conn.Write(b[done:min(len(b), done+mostWritten)])
		if done += n; err != nil || done == len(b) {
			return done, err
		}
	}
}

// Close ends the connection, which no longer counts.
func (c *conn) Close() error {
	c.closed.Do(func() {
		c.limits.mu.Lock()
		defer c.limits.mu.Unlock()
		c.limits.forget(c)
	})
	return c.Conn.Close()
}
