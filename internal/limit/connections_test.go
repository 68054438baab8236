package limit

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A house is a limited server to which tests connect from any address, on the
// clock of the test.
type house struct {
	t        *testing.T
	arriving chan net.Conn
	log      *bytes.Buffer
}

func open(t *testing.T, o ConnectionOptions, h http.HandlerFunc) *house {
	in := &house{t: t, arriving: make(chan net.Conn), log: new(bytes.Buffer)}
	o.Logger = slog.New(slog.NewTextHandler(in.log, nil))
	limits := NewConnections(o)
	server := limits.Server(h)
	go server.Serve(limits.Listener(in))
	t.Cleanup(func() { server.Close(); synctest.Wait() })
	return in
}

func (h *house) Accept() (net.Conn, error) {
	c, ok := <-h.arriving
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (h *house) Close() error   { close(h.arriving); return nil }
func (h *house) Addr() net.Addr { return &net.TCPAddr{} }

type attempt struct {
	net.Conn
	from net.Addr
}

func (a attempt) RemoteAddr() net.Addr { return a.from }

// A visitor is the far end of a connection.
type visitor struct {
	net.Conn
	in *bufio.Reader
}

// visit connects from an address.
func (h *house) visit(from string) *visitor {
	near, far := net.Pipe()
	h.arriving <- attempt{near, net.TCPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(from), 1))}
	synctest.Wait()
	return &visitor{Conn: far, in: bufio.NewReader(far)}
}

// ask sends a request and returns the status of the answer; 0: the connection is closed.
func (v *visitor) ask(header string) int {
	if _, err := fmt.Fprintf(v, "GET / HTTP/1.1\r\nHost: x\r\n%s\r\n", header); err != nil {
		return 0
	}
	resp, err := http.ReadResponse(v.in, nil)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, resp.Body)
	synctest.Wait() // the server has said that the connection is idle
	return resp.StatusCode
}

// closed reports whether the server has closed the connection.
func (v *visitor) closed() bool {
	v.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := v.in.Peek(1)
	var timeout net.Error
	return err != nil && !(errors.As(err, &timeout) && timeout.Timeout())
}

// greets answers each request, and identifies a person who gives a name.
func greets(w http.ResponseWriter, r *http.Request) {
	if who := r.Header.Get("I-Am"); who != "" {
		Identify(r.Context(), who)
	}
}

func count(all []*visitor, what func(*visitor) bool) (n int) {
	for _, v := range all {
		if what(v) {
			n++
		}
	}
	return n
}

// TestFull proves that strangers who open all the connections there may be close
// their own, and that who is known keeps theirs.
func TestFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, ConnectionOptions{Total: 10, PerAddress: 100}, greets)
		ann := h.visit("192.0.2.7")
		if status := ann.ask("I-Am: ann\r\n"); status != 200 {
			t.Fatalf("ann is answered with %d", status)
		}
		var strangers []*visitor
		for range 30 {
			strangers = append(strangers, h.visit("203.0.113.9"))
		}
		bob := h.visit("198.51.100.1")
		if status := bob.ask(""); status != 200 {
			t.Errorf("somebody else is answered with %d", status)
		}
		if status := ann.ask(""); status != 200 {
			t.Errorf("ann's connection is answered with %d", status)
		}
		if left := count(strangers, func(v *visitor) bool { return !v.closed() }); left != 8 {
			t.Errorf("%d connections of the strangers are left, want 8", left)
		}
	})
}

// TestBusyStrangers proves that requests that are never finished give way too.
func TestBusyStrangers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, ConnectionOptions{Total: 5, PerAddress: 100}, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			greets(w, r)
		})
		for range 5 {
			fmt.Fprint(h.visit("203.0.113.9"), "POST /login HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nha")
		}
		if status := h.visit("198.51.100.1").ask("I-Am: ann\r\n"); status != 200 {
			t.Errorf("ann is answered with %d", status)
		}
	})
}

// TestPerAddress proves that one address that nobody is known from has so many
// connections and no more, IPv6 by the network of one customer, and that a proxy
// may have as many as it needs.
func TestPerAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, ConnectionOptions{Total: 100, PerAddress: 3, Trusted: netip.MustParsePrefix("10.0.0.0/8").Contains}, greets)
		for from, want := range map[string]int{"203.0.113.9": 3, "10.0.0.1": 9} {
			var all []*visitor
			for range 9 {
				all = append(all, h.visit(from))
			}
			if left := count(all, func(v *visitor) bool { return !v.closed() }); left != want {
				t.Errorf("%s has %d connections, want %d", from, left, want)
			}
		}
		var all []*visitor
		for i := range 9 {
			all = append(all, h.visit(fmt.Sprintf("2001:db8::%d", i+1)))
		}
		if left := count(all, func(v *visitor) bool { return !v.closed() }); left != 3 {
			t.Errorf("an IPv6 network has %d connections, want 3", left)
		}
	})
}

// TestPerPerson proves that one person has a quarter of the connections: more close those
// that are not in use first, and then the oldest.
func TestPerPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, ConnectionOptions{Total: 12}, func(w http.ResponseWriter, r *http.Request) {
			greets(w, r)
			if r.Header.Get("Wait") != "" {
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			}
		})
		ann := h.visit("192.0.2.7")
		ann.ask("I-Am: ann\r\n")
		var all []*visitor
		visit := func(header string) {
			time.Sleep(time.Second)
			v := h.visit("192.0.2.7")
			all = append(all, v)
			fmt.Fprint(v, "GET / HTTP/1.1\r\nHost: x\r\nI-Am: eve\r\n"+header+"\r\n")
			if resp, err := http.ReadResponse(v.in, nil); err != nil || resp.StatusCode != http.StatusOK {
				t.Fatalf("eve's request %d is answered with %v, %v", len(all), resp, err)
			}
			synctest.Wait()
		}
		visit("Wait: 1\r\n")
		for range 5 {
			visit("")
		}
		for i, v := range all {
			if open := i == 0 || i > 3; v.closed() == open {
				t.Errorf("connection %d of eve is open: %v, want %v", i, !open, open)
			}
		}
		for range 3 {
			visit("Wait: 1\r\n")
		}
		for i, v := range all {
			if open := i > 5; v.closed() == open {
				t.Errorf("connection %d of eve is open: %v, want %v", i, !open, open)
			}
		}
		if !strings.Contains(h.log.String(), "level=WARN") || strings.Contains(h.log.String(), "person eve") {
			t.Errorf("the log is %s", h.log)
		}
		if status := ann.ask(""); status != 200 {
			t.Errorf("ann is answered with %d", status)
		}
	})
}

// TestStandingStill proves what is closed when nothing comes any more, and what
// is not: a body that is slow, and a stream to which nothing is written.
func TestStandingStill(t *testing.T) {
	ending := make(chan struct{})
	tests := []struct {
		name, sends string
		every       time.Duration // a byte more
		wait        time.Duration
		closed      bool
	}{
		{"nothing", "", 0, 11 * time.Second, true},
		{"half a header", "GET / HTTP/1.1\r\nHost:", 0, 11 * time.Second, true},
		{"idle", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0, 121 * time.Second, true},
		{"idle for a minute", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0, time.Minute, false},
		{"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nhal", 0, 301 * time.Second, true},
		{"half a body that is not read", "POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\nhal", 0, 301 * time.Second, true},
		{"a slow body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nhal", 20 * time.Second, 290 * time.Second, false},
		{"a body without end", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nhal", 20 * time.Second, 301 * time.Second, true},
		{"a stream", "GET /stream HTTP/1.1\r\nHost: x\r\n\r\n", 0, time.Hour, false},
		{"a stream with a body", "POST /stream HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}", 0, time.Hour, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ending = make(chan struct{})
				ended := make(chan error, 1)
				h := open(t, ConnectionOptions{}, func(w http.ResponseWriter, r *http.Request) {
					switch r.URL.Path {
					case "/stream":
						io.Copy(io.Discard, r.Body)
						w.(http.Flusher).Flush()
						select {
						case <-r.Context().Done():
						case <-ending:
						}
						ended <- r.Context().Err()
					case "/unread":
					default:
						io.Copy(io.Discard, r.Body)
					}
				})
				v := h.visit("203.0.113.9")
				go io.Copy(io.Discard, v.in) // a pipe has no buffer
				go func() {
					io.WriteString(v, test.sends)
					for test.every > 0 {
						time.Sleep(test.every)
						if _, err := v.Write([]byte("x")); err != nil {
							return
						}
					}
				}()
				time.Sleep(test.wait)
				synctest.Wait()
				v.SetWriteDeadline(time.Now().Add(time.Millisecond))
				_, err := v.Write([]byte("x"))
				if closed := errors.Is(err, io.ErrClosedPipe); closed != test.closed {
					t.Errorf("closed: %v (%v), want %v", closed, err, test.closed)
				}
				select {
				case err := <-ended:
					t.Errorf("the stream has ended: %v", err)
				default:
				}
				close(ending)
				v.Close()
				time.Sleep(test.every) // who sends notices
			})
		})
	}
}

// TestReaderStandsStill proves that an answer that nobody reads ends, and that one
// that is read slowly does not.
func TestReaderStandsStill(t *testing.T) {
	for _, reads := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			failed := make(chan error, 1)
			h := open(t, ConnectionOptions{}, func(w http.ResponseWriter, r *http.Request) {
				_, err := w.Write(make([]byte, 1<<20))
				failed <- err
			})
			v := h.visit("203.0.113.9")
			fmt.Fprint(v, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
			if reads {
				go func() {
					for {
						time.Sleep(10 * time.Second) // 16 pieces of 64 kB: minutes
						if _, err := io.CopyN(io.Discard, v, 64<<10); err != nil {
							return
						}
					}
				}()
			}
			if err := <-failed; (err == nil) != reads {
				t.Errorf("reading: %v, writing ends with %v", reads, err)
			}
			v.Close()
		})
	}
}

// TestAcceptFails proves that a connection that cannot be accepted is said, not
// each time, and makes one give way.
func TestAcceptFails(t *testing.T) {
	var log bytes.Buffer
	l := NewConnections(ConnectionOptions{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	near, far := net.Pipe()
	c := &conn{Conn: near, limits: l}
	if !l.admit(c, netip.MustParseAddr("203.0.113.9")) {
		t.Fatal("not admitted")
	}
	for range 3 {
		l.acceptFailed(&net.OpError{Op: "accept", Err: tooManyFiles{}})
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("warned %d times: %s", n, &log)
	}
	if _, err := far.Read(make([]byte, 1)); err == nil {
		t.Error("no connection gave way")
	}
	Identify(context.Background(), "ann") // a server without limits
}

type tooManyFiles struct{}

func (tooManyFiles) Error() string   { return "too many open files" }
func (tooManyFiles) Timeout() bool   { return true }
func (tooManyFiles) Temporary() bool { return true }
