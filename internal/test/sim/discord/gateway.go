package discord

import (
	"bytes"
	"compress/zlib"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels/discord"
)

// The opcodes of the gateway.
const (
	opDispatch   = 0
	opHeartbeat  = 1
	opIdentify   = 2
	opPresence   = 3
	opVoice      = 4
	opResume     = 6
	opReconnect  = 7
	opMembers    = 8
	opInvalid    = 9
	opHello      = 10
	opHeartbeatA = 11
)

type frame struct {
	Op   int             `json:"op"`
	Data json.RawMessage `json:"d"`
	Seq  *int64          `json:"s"`
	Name *string         `json:"t"`

	close int // a code: the connection is closed with it
	text  string
}

// A conn is a connection of a client. The server's mu guards its fields,
// except ws, which one goroutine reads and another writes.
type conn struct {
	server   *Server
	ws       *websocket.Conn
	out      []frame
	wake     chan struct{} // holds one
	done     chan struct{} // closed by the reader
	session  *session
	compress bool
	closing  bool // nothing more is said or heard
	sent     window
}

// send queues a frame; the caller holds mu.
func (c *conn) send(f frame) {
	if c.closing {
		return
	}
	c.out = append(c.out, f)
	c.closing = f.close != 0
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// close ends the connection with a code; its session waits to be resumed.
func (c *conn) close(code int, text string) {
	c.send(frame{close: code, text: text})
	c.server.detach(c)
}

// drop breaks the connection without a word.
func (c *conn) drop() {
	c.closing = true
	c.server.detach(c)
	c.ws.NetConn().Close()
}

func (c *conn) invalid(resumable bool) {
	c.send(frame{Op: opInvalid, Data: json.RawMessage(fmt.Sprint(resumable))})
}

var upgrader = websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }}

// gateway serves a connection until it ends.
func (s *Server) gateway(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	call := &Call{Route: Connect, Path: r.URL.RequestURI(), At: s.opts.Now()}
	s.calls = append(s.calls, call)
	fault := s.takeFault(Connect)
	s.happened()
	s.mu.Unlock()
	switch fault.Kind {
	case DieBefore:
		panic(http.ErrAbortHandler)
	case BadGateway, Broken:
		w.WriteHeader(http.StatusBadGateway)
		return
	case Slow:
		if !s.wait(fault, r.Context().Done()) {
			return
		}
	}
	ws, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // it has been answered
	}
	c := &conn{server: s, ws: ws, wake: make(chan struct{}, 1), done: make(chan struct{})}
	defer close(c.done)
	s.mu.Lock()
	s.conns[c] = struct{}{}
	call.Status = http.StatusSwitchingProtocols
	select {
	case <-s.closed:
		c.drop()
	default:
	}
	if q := r.URL.Query(); q.Get("v") != "9" && q.Get("v") != "10" {
		c.close(4012, "Invalid API version.")
	} else if fault.Kind != Silent {
		c.send(frame{Op: opHello, Data: json.RawMessage(fmt.Sprintf(`{"heartbeat_interval":%d}`, s.opts.Heartbeat.Milliseconds()))})
	}
	s.mu.Unlock()
	go s.write(c)
	for {
		_, raw, err := ws.ReadMessage()
		s.mu.Lock()
		if err != nil {
			s.lost(c, err)
			s.mu.Unlock()
			return
		}
		if !c.closing {
			s.receive(c, raw)
			s.happened()
		}
		s.mu.Unlock()
	}
}

// lost ends a connection. A client that closes with 1000 or 1001 gives its
// session up; from any other end it may resume.
func (s *Server) lost(c *conn, err error) {
	var closed *websocket.CloseError
	if ss := c.session; ss != nil {
		s.detach(c)
		if errors.As(err, &closed) && (closed.Code == websocket.CloseNormalClosure || closed.Code == websocket.CloseGoingAway) {
			delete(s.sessions, ss.id)
		}
	}
	c.closing = true
	delete(s.conns, c)
	c.ws.Close()
	s.happened()
}

// detach leaves a session without its connection.
func (s *Server) detach(c *conn) {
	if ss := c.session; ss != nil {
		c.session = nil
		if ss.conn == c {
			ss.conn, ss.away = nil, s.opts.Now()
		}
	}
}

const lingering = 5 * time.Second

const compressed = 1 << 10

func (s *Server) write(c *conn) {
	for {
		select {
		case <-c.wake:
		case <-c.done:
			return
		}
		s.mu.Lock()
		list := c.out
		c.out = nil
		compress := c.compress
		s.mu.Unlock()
		for _, f := range list {
			if f.close != 0 {
				c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(f.close, f.text), time.Now().Add(lingering))
				c.ws.SetReadDeadline(time.Now().Add(lingering))
				return
			}
			if err := c.put(f, compress); err != nil {
				c.ws.Close() // the reader sees it
				return
			}
		}
	}
}

func (c *conn) put(f frame, compress bool) error {
	raw, err := json.Marshal(f)
	if err != nil {
		return err
	}
	if !compress || len(raw) < compressed {
		return c.ws.WriteMessage(websocket.TextMessage, raw)
	}
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	z.Write(raw) // into memory
	z.Close()
	return c.ws.WriteMessage(websocket.BinaryMessage, packed.Bytes())
}

// address is where the gateway is. Who came here without a redirect is told this
// server's own address.
func (s *Server) address(r *http.Request) string {
	if host := r.Host; !discord.IsHost(strings.Split(host, ":")[0]) {
		return "ws://" + host
	}
	return "wss://gateway.discord.gg"
}

func (s *Server) getGateway(r *request) (any, error) {
	return map[string]any{"url": s.address(r.Request)}, nil
}

func (s *Server) getGatewayBot(r *request) (any, error) {
	return map[string]any{"url": s.address(r.Request), "shards": 1,
		"session_start_limit": map[string]int{"total": 1000, "remaining": 1000, "reset_after": 86_400_000, "max_concurrency": 1}}, nil
}
