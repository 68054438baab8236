package whatsapp

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
	waBinary "go.mau.fi/whatsmeow/binary"
	"go.mau.fi/whatsmeow/types"
)

type (
	node  = waBinary.Node
	attrs = waBinary.Attrs
)

// A conn is a connection of a client, from the handshake on.
type conn struct {
	s     *Server
	ws    *websocket.Conn
	net   net.Conn
	hello *hello
	phone bool // of a person

	device *Device // nil: one that is being linked
	link   *link   // nil: one that has been linked
	active bool    // the client has asked for what waits for it

	// What is to be written, so that nobody who holds the server's mu waits for
	// a client that does not read.
	out    sync.Mutex
	ready  chan struct{}
	nodes  []node
	ending time.Duration // once everything is written, it stays open that long; 0: it goes on
}

// socket serves one connection to its end.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer ws.CloseNow()
	ws.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	defer cancel()
	c := &conn{s: s, ws: ws, net: websocket.NetConn(ctx, ws, websocket.MessageBinary), phone: r.Header.Get(phoneHeader) != "", ready: make(chan struct{}, 1)}
	c.net.SetDeadline(time.Now().Add(20 * time.Second))
	if c.hello, err = shake(c.net, s.cert); err != nil {
		return
	}
	c.net.SetDeadline(time.Time{})
	written := make(chan struct{})
	go func() {
		defer close(written)
		c.write(ctx)
	}()
	defer func() {
		cancel()
		<-written
	}()
	s.mu.Lock()
	s.conns[c] = true
	s.mu.Unlock()
	defer s.gone(c)
	s.greet(c)
	for {
		frame, err := readFrame(c.net)
		if err != nil {
			return
		}
		plain, err := c.hello.read.open(frame, nil)
		if err != nil || len(plain) == 0 {
			return
		}
		if plain, err = waBinary.Unpack(plain); err != nil {
			return
		}
		n, err := waBinary.Unmarshal(plain)
		if err != nil {
			return
		}
		s.handle(c, n)
	}
}

// greet answers the payload of a client: somebody who logs in, or a device that
// wants to be linked.
func (s *Server) greet(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.hello.payload.GetDevicePairingData() != nil {
		s.offerLink(c)
		return
	}
	s.login(c)
}

func (s *Server) gone(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
	if c.device != nil && c.device.conn == c {
		c.device.conn = nil
	}
	if c.link != nil {
		s.forget(c.link)
	}
	s.happened()
}

// send writes a node after those before it. The caller holds mu, which is what
// makes their order that of what happened.
func (c *conn) send(n node) {
	c.out.Lock()
	defer c.out.Unlock()
	if c.ending == 0 {
		c.nodes = append(c.nodes, n)
	}
	c.wake()
}

// How long a connection stays open after the last word, unless the client closes
// it. Who does so may be slow to read; who leaves that to the server waits for it.
const (
	forClient = 30 * time.Second
	forServer = time.Second
)

// end closes the connection once everything is written and the client has had
// its time.
func (c *conn) end(stays time.Duration) {
	c.out.Lock()
	defer c.out.Unlock()
	c.ending = stays
	c.wake()
}

// drop closes the connection as a network does: without a word. It does not
// wait for the client, which may be waiting for mu.
func (c *conn) drop() { go c.ws.CloseNow() }

func (c *conn) wake() {
	select {
	case c.ready <- struct{}{}:
	default:
	}
}

func (c *conn) write(ctx context.Context) {
	for {
		select {
		case <-c.ready:
		case <-ctx.Done():
			return
		}
		c.out.Lock()
		nodes, ending := c.nodes, c.ending
		c.nodes = nil
		c.out.Unlock()
		for _, n := range nodes {
			data, err := waBinary.Marshal(n)
			if err != nil {
				continue
			}
			if writeFrame(c.net, c.hello.write.seal(data, nil)) != nil {
				return
			}
		}
		if ending > 0 {
			// The client is to read the last word before it learns that the
			// connection is gone: whatsmeow forgets what it has not handled then.
			select {
			case <-time.After(ending):
				c.ws.Close(websocket.StatusNormalClosure, "")
			case <-ctx.Done():
			}
			return
		}
	}
}

func (s *Server) handle(c *conn, n *node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.happened()
	switch {
	case n.Tag == "iq":
		s.query(c, n)
	case c.device == nil || c.device.conn != c:
		// Nothing else is allowed before the login, or after somebody took over.
	case n.Tag == "message":
		s.accept(c.device, n)
	case n.Tag == "ack":
		c.device.acked(text(n, "class"), text(n, "id"), address(n, "to"))
	case n.Tag == "receipt":
		s.receipt(c.device, n)
	case n.Tag == "presence":
		c.device.presence = text(n, "type") + " as " + text(n, "name")
	case n.Tag == "chatstate":
		s.chatstate(c.device, n)
	}
}

// text and address read an attribute.
func text(n *node, name string) string {
	switch v := n.Attrs[name].(type) {
	case string:
		return v
	case types.JID:
		return v.String()
	}
	return ""
}

func address(n *node, name string) types.JID {
	jid, _ := n.Attrs[name].(types.JID)
	return jid
}

func bytesOf(n node) []byte {
	b, _ := n.Content.([]byte)
	return b
}

func stamp(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
