package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"errand/internal/core"
)

// Options configure a Client. The zero value is for pages of the public internet.
type Options struct {
	// Allow are hosts (host or host:port) from the operator's configuration. They may be
	// private, but not link-local, and not the metadata service of a cloud. Redirects from
	// other hosts to them are refused. Requests to them use the proxy of the environment.
	// Other requests do not, because a proxy would resolve names itself.
	Allow []string

	MaxBytes  int64         // of a decompressed body; default 10 MB
	Timeout   time.Duration // for the whole exchange, with redirects and body; default 30 s
	Redirects int           // maximum; default 5, negative: none
	UserAgent string        // default: errand's

	Resolver *net.Resolver // default: the machine's

	// The machine's addresses and networks; default: net.InterfaceAddrs.
	interfaces func() ([]net.Addr, error)
}

const (
	maxBytes  = 10 << 20
	maxHeader = 256 << 10
	timeout   = 30 * time.Second
	redirects = 5
	userAgent = "Mozilla/5.0 (compatible; errand; an agent that reads a page for a person)"
)

// A Client sends guarded HTTP requests. It is safe for concurrent use.
type Client struct {
	options Options
	allow   []allowedHost
	http    *http.Client

	// Allowed hosts have their own connection pool, so that a connection made without the
	// address check is never reused for other hosts.
	guarded, own *http.Transport
}

// New returns a client. It fails if an entry of Allow is not a host.
func New(o Options) (*Client, error) {
	if o.MaxBytes <= 0 {
		o.MaxBytes = maxBytes
	}
	if o.Timeout <= 0 {
		o.Timeout = timeout
	}
	if o.Redirects == 0 {
		o.Redirects = redirects
	}
	if o.UserAgent == "" {
		o.UserAgent = userAgent
	}
	if o.interfaces == nil {
		o.interfaces = net.InterfaceAddrs
	}
	c := &Client{options: o}
	for _, host := range o.Allow {
		a, err := parseAllowed(host)
		if err != nil {
			return nil, err
		}
		c.allow = append(c.allow, a)
	}
	c.guarded, c.own = transport(o, o.controlPublic, nil), transport(o, controlOwn, http.ProxyFromEnvironment)
	c.http = &http.Client{Transport: c, CheckRedirect: c.checkRedirect}
	return c, nil
}

func transport(o Options, control func(network, address string, _ syscall.RawConn) error, proxy func(*http.Request) (*url.URL, error)) *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second, Control: control, Resolver: o.Resolver}
	return &http.Transport{
		Proxy: proxy, DialContext: dialer.DialContext, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: o.Timeout, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns: 20, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
	}
}

func (o Options) controlPublic(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refused{address, "this is no address to connect to"}
	}
	if why := CheckAddr(at.Addr()); why != "" {
		return &notPublic{why}
	}
	if o.isOwn(at.Addr()) {
		return &notPublic{"in this machine's own network"}
	}
	if why := checkPort(at.Port()); why != "" {
		return &badPort{at.Port(), why}
	}
	return nil
}

// controlOwn also checks allowed hosts, because their names may resolve to addresses that
// the operator does not expect.
func controlOwn(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &Refused{address, "this is no address to connect to"}
	}
	if ip := dialed(at.Addr()); slices.Contains(metadata, ip) || ip.Is4() && ip.IsLinkLocalUnicast() {
		return &notPublic{CheckAddr(ip)}
	}
	return nil
}

// isOwn reports whether addr is in a network of this machine. Such addresses are local
// even if they are public.
func (o Options) isOwn(addr netip.Addr) bool {
	list, err := o.interfaces()
	if err != nil {
		return false
	}
	for _, a := range list {
		if network, ok := a.(*net.IPNet); ok && network.Contains(dialed(addr).AsSlice()) {
			return true
		}
	}
	return false
}

// A notPublic omits the address, which may be private.
type notPublic struct{ why string }

func (e *notPublic) Error() string { return "not a public address: " + e.why }

type badPort struct {
	port uint16
	why  string
}

func (e *badPort) Error() string { return fmt.Sprintf("port %d is %s", e.port, e.why) }

// HTTP returns the guarded client for callers with their own protocol. The caller has to
// limit sizes and times.
func (c *Client) HTTP() *http.Client { return c.http }

// RoundTrip sends one request. It runs for each redirect too.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL
	if err := checkURL(&u); err != nil {
		return nil, err
	}
	if u != *r.URL { // a RoundTripper must not change the request
		r = r.Clone(r.Context())
		r.URL = &u
	}
	var refused *notPublic
	if c.isAllowed(r) {
		resp, err := c.own.RoundTrip(r)
		if errors.As(err, &refused) {
			return nil, &Refused{show(r.URL), fmt.Sprintf("the host is %s, which is not spoken with", refused.why)}
		}
		return resp, err
	}
	resp, err := c.guarded.RoundTrip(r)
	var port *badPort
	switch {
	case errors.As(err, &refused):
		return nil, notPublicHost(r.URL, refused.why)
	case errors.As(err, &port):
		return nil, &Refused{show(r.URL), port.Error()}
	}
	return resp, err
}

func notPublicHost(u *url.URL, why string) *Refused {
	return &Refused{show(u), fmt.Sprintf("the host is %s, and errand fetches from the public internet only. The operator can allow a host in errand.yaml", why)}
}

// CloseIdleConnections supports [http.Client.CloseIdleConnections].
func (c *Client) CloseIdleConnections() {
	c.guarded.CloseIdleConnections()
	c.own.CloseIdleConnections()
}

func (c *Client) checkRedirect(r *http.Request, via []*http.Request) error {
	if most := max(c.options.Redirects, 0); len(via) > most {
		if most == 0 {
			return &Refused{show(via[0].URL), fmt.Sprintf("it redirects to %s, which is not followed here", show(r.URL))}
		}
		return &Refused{show(via[0].URL), fmt.Sprintf("it redirects more than %d times, the last time to %s", most, show(r.URL))}
	}
	return nil
}

// A Response is an answer that was read completely or up to the limit.
type Response struct {
	URL       *url.URL // the final URL, after redirects
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool // the body exceeded the limit
}

// Get fetches an address as a person or model wrote it. An HTTP error status is not an error.
func (c *Client) Get(ctx context.Context, rawURL string, header http.Header) (*Response, error) {
	u, err := ParseURL(rawURL)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &Refused{show(u), "it is not a URL: write it as https://host/path"}
	}
	for key, values := range header {
		r.Header[key] = values
	}
	return c.Do(r)
}

// Do sends a request and reads the answer, within the limits.
func (c *Client) Do(r *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), c.options.Timeout)
	defer cancel()
	resp, err := c.begin(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	final := resp.Request.URL
	// net/http has already decoded gzip, the only encoding that it requests.
	if e := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); e != "" && e != "identity" {
		return nil, &Refused{show(final), fmt.Sprintf("the answer is compressed as %q, which was not asked for", core.Cut(e, 40))}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, c.options.MaxBytes+1))
	if err != nil {
		return nil, explain(final, c.options.Timeout, err)
	}
	out := &Response{URL: final, Status: resp.StatusCode, Header: resp.Header, Body: body}
	if int64(len(body)) > c.options.MaxBytes {
		out.Body, out.Truncated = body[:c.options.MaxBytes], true
	}
	return out, nil
}

// Send sends a request and returns the status and headers of the answer. It does not read
// or wait for the body.
func (c *Client) Send(r *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), c.options.Timeout)
	defer cancel()
	resp, err := c.begin(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	return &Response{URL: resp.Request.URL, Status: resp.StatusCode, Header: resp.Header}, nil
}

func (c *Client) begin(r *http.Request) (*http.Response, error) {
	if r.Header.Get("User-Agent") == "" {
		r.Header.Set("User-Agent", c.options.UserAgent)
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return nil, explain(r.URL, c.options.Timeout, err)
	}
	return resp, nil
}
