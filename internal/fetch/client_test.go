package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

func serve(t *testing.T, h http.HandlerFunc) (base, host string) {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL, strings.TrimPrefix(s.URL, "http://")
}

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// resolver answers every question with one of addrs, in turn.
func resolver(t *testing.T, addrs ...[4]byte) *net.Resolver {
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	var asked atomic.Int64
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) == 0 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Additionals = true, nil
			if q.Type == dnsmessage.TypeA {
				a := addrs[(asked.Add(1)-1)%int64(len(addrs))]
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: a}}}
			}
			out, err := m.Pack()
			if err == nil {
				pc.WriteTo(out, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func wantRefused(t *testing.T, err error, want string) {
	t.Helper()
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want it refused because of %q", err, want)
	}
}

// No request reaches a private address, however it is written; the operator's own is
// reached.
func TestPrivate(t *testing.T) {
	var reached atomic.Int64
	base, host := serve(t, func(w http.ResponseWriter, r *http.Request) { reached.Add(1) })
	_, port, _ := net.SplitHostPort(host)
	c := client(t, Options{})
	for _, u := range []string{base, "http://localhost:" + port, "http://[::ffff:127.0.0.1]:" + port, "http://[::1]:" + port, "http://0.0.0.0:" + port, "http://0:" + port,
		"http://127.1:" + port, "http://2130706433:" + port, "http://0x7f000001:" + port, "http://017700000001:" + port,
		"http://10.255.255.1/", "http://192.168.0.1/", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://[64:ff9b::7f00:1]/", "http://100.64.0.1/"} {
		if _, err := c.Get(t.Context(), u, nil); err == nil {
			t.Errorf("%s was fetched", u)
		}
	}
	if reached.Load() > 0 {
		t.Fatalf("%d requests reached a server on this machine", reached.Load())
	}
	_, err := c.Get(t.Context(), base, nil)
	wantRefused(t, err, "a loopback address")
	if _, err := client(t, Options{Allow: []string{host}}).Get(t.Context(), base, nil); err != nil {
		t.Errorf("the operator's own host was not fetched: %v", err)
	}
	_, err = client(t, Options{Allow: []string{"127.0.0.1:1"}}).Get(t.Context(), base, nil)
	wantRefused(t, err, "a loopback address")
}

// The proxy of the environment would resolve names itself: guarded requests do
// without.
func TestNoProxy(t *testing.T) {
	c := client(t, Options{})
	if c.guarded.Proxy != nil {
		t.Error("guarded requests go through a proxy")
	}
}

// A name that resolves to a private address is refused, also when it resolved to a
// public one before: what counts is the address that is dialed.
func TestRebinding(t *testing.T) {
	var reached atomic.Int64
	_, host := serve(t, func(w http.ResponseWriter, r *http.Request) { reached.Add(1) })
	_, port, _ := net.SplitHostPort(host)
	for _, private := range [][4]byte{{127, 0, 0, 1}, {10, 0, 0, 7}, {169, 254, 169, 254}} {
		c := client(t, Options{Resolver: resolver(t, private)})
		_, err := c.Get(t.Context(), "http://rebind.test:"+port+"/", nil)
		wantRefused(t, err, "public internet only")
		if strings.Contains(err.Error(), fmt.Sprintf("%d.%d.%d.%d", private[0], private[1], private[2], private[3])) {
			t.Errorf("the error says what a private name resolves to: %v", err)
		}
	}
	// Public first, private second: the check and the connection share one look-up.
	c := client(t, Options{Resolver: resolver(t, [4]byte{240, 0, 0, 1}, [4]byte{127, 0, 0, 1})})
	for range 4 {
		_, err := c.Get(t.Context(), "http://rebind.test:"+port+"/", nil)
		wantRefused(t, err, "public internet only")
	}
	if reached.Load() > 0 {
		t.Fatal("a rebound name reached this machine")
	}
}

// A public address that is this machine's, or of a network that it is in, is not dialed:
// what listens there may be for neighbours only.
func TestOwnNetwork(t *testing.T) {
	own := func() ([]net.Addr, error) {
		_, v4, _ := net.ParseCIDR("8.8.8.0/24")
		_, v6, _ := net.ParseCIDR("2606:4700:4700::/64")
		return []net.Addr{v4, v6}, nil
	}
	const want = "the host is in this machine's own network, and errand fetches from the public internet only"
	c := client(t, Options{interfaces: own, Resolver: resolver(t, [4]byte{8, 8, 8, 8})})
	for _, u := range []string{"http://own.test/", "http://8.8.8.9/", "http://[::ffff:8.8.8.9]/", "http://[64:ff9b::808:809]/", "http://[2606:4700:4700::1111]/"} {
		_, err := c.Get(t.Context(), u, nil)
		wantRefused(t, err, want)
	}
	for address, own := range map[string]bool{"8.8.8.8": true, "8.8.9.8": false, "2606:4700:4700::1": true, "2606:4700:4701::1": false, "::ffff:8.8.8.8": true} {
		if got := c.options.isOwn(netip.MustParseAddr(address)); got != own {
			t.Errorf("%s is this machine's: %v", address, got)
		}
	}
	real := client(t, Options{}).options
	list, err := net.InterfaceAddrs()
	if err != nil || len(list) == 0 {
		t.Fatalf("addresses of this machine: %v, %v", list, err)
	}
	for _, a := range list {
		if ip, _ := netip.AddrFromSlice(a.(*net.IPNet).IP); !real.isOwn(ip) {
			t.Errorf("%s is not this machine's", a)
		}
	}
}

// A host of the operator's is not what hands out a machine's credentials, wherever its name
// leads.
func TestAllowedMetadata(t *testing.T) {
	for _, at := range [][4]byte{{169, 254, 169, 254}, {169, 254, 1, 1}, {168, 63, 129, 16}, {100, 100, 100, 200}} {
		_, err := client(t, Options{Allow: []string{"home.test"}, Resolver: resolver(t, at)}).Get(t.Context(), "http://home.test/", nil)
		wantRefused(t, err, "which is not spoken with")
	}
}

// A redirect from the operator's host to another private one is refused, and so is
// one from elsewhere to the operator's.
func TestRedirectAway(t *testing.T) {
	var reached atomic.Int64
	_, inner := serve(t, func(w http.ResponseWriter, r *http.Request) { reached.Add(1) })
	outerURL, outer := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/own":
			http.Redirect(w, r, "/there", http.StatusFound)
		case "/there":
			fmt.Fprint(w, "here")
		default:
			http.Redirect(w, r, "http://"+inner+"/", http.StatusFound)
		}
	})
	_, err := client(t, Options{Allow: []string{outer}}).Get(t.Context(), outerURL, nil)
	wantRefused(t, err, "a loopback address")
	// Both are the operator's, each for itself: one does not lead to the other.
	_, err = client(t, Options{Allow: []string{outer, inner}}).Get(t.Context(), outerURL, nil)
	wantRefused(t, err, "a loopback address")
	if reached.Load() > 0 {
		t.Fatal("a redirect reached another private host")
	}
	r, err := client(t, Options{Allow: []string{outer}}).Get(t.Context(), outerURL+"/own", nil)
	if err != nil || string(r.Body) != "here" || r.URL.Path != "/there" {
		t.Errorf("a redirect within the operator's host: %v", err)
	}
}

// Who left the operator's host comes back as a stranger.
func TestRedirectBack(t *testing.T) {
	c := client(t, Options{Allow: []string{"home.test"}})
	at := func(u string, from *http.Request) *http.Request {
		parsed, err := url.Parse(u)
		if err != nil {
			t.Fatal(err)
		}
		r := &http.Request{URL: parsed}
		if from != nil {
			r.Response = &http.Response{Request: from}
		}
		return r
	}
	home := at("http://home.test/", nil)
	away := at("https://example.org/", home)
	if !c.isAllowed(home) || !c.isAllowed(at("http://home.test/b", home)) {
		t.Error("the operator's host is refused")
	}
	if c.isAllowed(away) || c.isAllowed(at("http://home.test/", away)) || c.isAllowed(at("http://home.test/", at("https://example.org/", nil))) {
		t.Error("a redirect from elsewhere leads into the operator's network")
	}
}

func TestRedirects(t *testing.T) {
	base, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch to := r.URL.Query().Get("to"); to {
		case "":
			var n int
			fmt.Sscanf(r.URL.Path, "/%d", &n)
			if n == 0 {
				fmt.Fprint(w, "the end")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/%d", n-1), http.StatusFound)
		case "loop":
			http.Redirect(w, r, "/?to=loop", http.StatusMovedPermanently)
		default:
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusFound)
		}
	})
	c := client(t, Options{Allow: []string{host}})
	if r, err := c.Get(t.Context(), base+"/5", nil); err != nil || string(r.Body) != "the end" {
		t.Errorf("five redirects: %v", err)
	}
	_, err := c.Get(t.Context(), base+"/6", nil)
	wantRefused(t, err, "redirects more than 5 times")
	_, err = c.Get(t.Context(), base+"/?to=loop", nil)
	wantRefused(t, err, "redirects more than 5 times")
	for to, want := range map[string]string{
		"file:///etc/passwd": "only http:// and https://", "gopher://" + host: "only http:// and https://",
		"http://u:p@" + host + "/": "a user or a password", "http://169.254.169.254/": "metadata service", "https:///x": "names no host",
	} {
		_, err := c.Get(t.Context(), base+"/?to="+url.QueryEscape(to), nil)
		wantRefused(t, err, want)
	}
	_, err = client(t, Options{Allow: []string{host}, Redirects: -1}).Get(t.Context(), base+"/1", nil)
	wantRefused(t, err, "not followed here")
}

// An answer is read to the limit, and no more of it is unpacked.
func TestSize(t *testing.T) {
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	zeros := make([]byte, 1<<20)
	for range 100 {
		z.Write(zeros)
	}
	z.Close()
	var sent atomic.Int64
	ended := make(chan struct{})
	base, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb.Bytes())
		case "/brotli", "/gzip,gzip":
			w.Header().Set("Content-Encoding", r.URL.Path[1:])
			w.Write(bomb.Bytes())
		case "/endless":
			defer close(ended)
			for {
				n, err := w.Write(zeros[:64<<10])
				sent.Add(int64(n))
				if err != nil {
					return
				}
			}
		case "/headers":
			for i := range 100 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("a", 10_000))
			}
		}
	})
	c := client(t, Options{Allow: []string{host}, MaxBytes: 1 << 20})
	for _, path := range []string{"/bomb", "/endless"} {
		if r, err := c.Get(t.Context(), base+path, nil); err != nil || len(r.Body) != 1<<20 || !r.Truncated {
			t.Errorf("%s: %v", path, err)
		}
	}
	<-ended // the server is left alone when it is enough
	if sent.Load() > 32<<20 {
		t.Errorf("%d bytes were taken for the sake of one megabyte", sent.Load())
	}
	for _, path := range []string{"/brotli", "/gzip,gzip"} {
		_, err := c.Get(t.Context(), base+path, nil)
		wantRefused(t, err, "compressed as")
	}
	_, err := c.Get(t.Context(), base+"/headers", nil)
	var failed *Failed
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "headers exceeded") {
		t.Errorf("headers of a megabyte: %v", err)
	}
}

// An answer that never ends is given up, before its first byte and after.
func TestSlow(t *testing.T) {
	base, host := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/half" {
			fmt.Fprint(w, "half")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	c := client(t, Options{Allow: []string{host}, Timeout: 50 * time.Millisecond})
	for _, path := range []string{"/none", "/half"} {
		_, err := c.Get(t.Context(), base+path, nil)
		var failed *Failed
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), "no complete answer within 50ms") {
			t.Errorf("%s: %v", path, err)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := client(t, Options{Allow: []string{host}}).Get(canceled, base, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled request: %v", err)
	}
}

// The guard holds for callers that use the client themselves.
func TestHTTP(t *testing.T) {
	base, host := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })
	if _, err := client(t, Options{}).HTTP().Get(base); err == nil {
		t.Error("a private address was fetched")
	}
	resp, err := client(t, Options{Allow: []string{host}}).HTTP().Get(base)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
}

func TestUnknownHost(t *testing.T) {
	c := client(t, Options{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.DNSError{Err: "no such host", Name: "nowhere.test", IsNotFound: true}
	}}})
	_, err := c.Get(t.Context(), "https://nowhere.test/", nil)
	if err == nil || !strings.Contains(err.Error(), "nowhere.test") {
		t.Errorf("got %v", err)
	}
}
