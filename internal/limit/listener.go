package limit

import (
	"net"
	"net/netip"
	"time"
)

// Listener returns a listener whose connections are limited.
func (l *Connections) Listener(inner net.Listener) net.Listener { return &listener{inner, l} }

type listener struct {
	net.Listener
	limits *Connections
}

// Accept returns the next connection that the limits permit. It logs errors, because a server that
// has run out of files would otherwise be silent.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			l.limits.acceptFailed(err)
			return nil, err
		}
		c := &conn{Conn: nc, limits: l.limits}
		if l.limits.admit(c, addressOf(nc.RemoteAddr())) {
			return c, nil
		}
		nc.Close()
	}
}

// acceptFailed closes a connection, because the process may have run out of files.
func (l *Connections) acceptFailed(err error) {
	temporary, ok := err.(interface{ Temporary() bool })
	if !ok || !temporary.Temporary() {
		return // the listener is closed; the server reports it
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.evict(nil)
	l.warn("connection not accepted", "error", err)
}

func addressOf(a net.Addr) netip.Addr {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// The mutex of limits guards the fields of a conn.
type conn struct {
	net.Conn
	limits  *Connections
	address string // the holder until a person is known
	proxied bool   // the peer is a proxy
	holder  string
	busy    bool      // it has a request
	since   time.Time // the last change of state
}

// maxWrite is how many bytes are written with one deadline.
const maxWrite = 64 << 10

// Write returns an error if the client accepts nothing for writeTimeout.
func (c *conn) Write(b []byte) (int, error) {
	done := 0
	for {
		if err := c.Conn.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return done, err
		}
		n, err := c.Conn.Write(b[done:min(len(b), done+maxWrite)])
		if done += n; err != nil || done == len(b) {
			return done, err
		}
	}
}

// Close closes the connection, which then no longer counts.
func (c *conn) Close() error {
	c.limits.mu.Lock()
	c.limits.forget(c)
	c.limits.mu.Unlock()
	return c.Conn.Close()
}
