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

	"errand"
)

// Options of a client. The zero value is for pages of the public internet.
type Options struct {
	// Allow are hosts (host or host:port) that the operator wrote in their own
	// configuration: they may be private, but not link-local, nor the metadata service of a
	// cloud. A redirect from elsewhere to them is not
	// followed. Requests to them go through the proxy of the environment; no others do,
	// for a proxy would resolve the names itself.
	Allow []string

	MaxBytes  int64         // of a body, after decompression; default 10 MB
	Timeout   time.Duration // of an exchange with its redirects and its body; default 30 s
	Redirects int           // that are followed; default 5, negative: none
	UserAgent string        // default: errand's own

	Resolver *net.Resolver // default: the machine's

	interfaces func() ([]net.Addr, error) // the machine's addresses with their networks; default: net.InterfaceAddrs
}

const (
	maxBytes  = 10 << 20
	maxHeader = 256 << 10
	timeout   = 30 * time.Second
	redirects = 5
	userAgent = "Mozilla/5.0 (compatible; errand; an agent that reads a page for a person)"
)

// A Client fetches. It is safe for concurrent use.
type Client struct {
	options Options
	allow   []allowedHost
	http    *http.Client

	// Connections to the operator's hosts are pooled for themselves: an address that
	// was dialed without the check is never reused for a request that needs it.
	guarded, own *http.Transport
}

// New makes a client. It fails if a host of Allow is none.
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

// controlOwn is controlPublic for the operator's hosts: who writes one down may not say what
// its name resolves to.
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

// isOwn reports whether an address is this machine's, or of a network that it is in: to
// it these are local, though they may be public. Where the system does not say, none is.
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

// A notPublic is why an address was not dialed. It does not name it: what a private
// name resolves to is nobody's business outside.
type notPublic struct{ why string }

func (e *notPublic) Error() string { return "not a public address: " + e.why }

type badPort struct {
	port uint16
	why  string
}

func (e *badPort) Error() string { return fmt.Sprintf("port %d is %s", e.port, e.why) }

// HTTP is the guarded client for callers that speak a protocol of their own. Sizes
// and times are theirs to limit.
func (c *Client) HTTP() *http.Client { return c.http }

// RoundTrip carries out one request, and each redirect for itself.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	u := *r.URL
	if err := checkURL(&u); err != nil {
		return nil, err
	}
	if u != *r.URL { // a request is its caller's
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

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
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

// A Response is an answer that was read to its end, or to the limit.
type Response struct {
	URL       *url.URL // where it came from, after redirects
	Status    int
	Header    http.Header
	Body      []byte
	Truncated bool // there was more than the limit
}

// Get fetches an address as somebody wrote it. An answer is no error, whatever its
// status.
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

// Do carries out a request and reads the answer, within the limits.
func (c *Client) Do(r *http.Request) (*Response, error) {
	ctx, cancel := context.WithTimeout(r.Context(), c.options.Timeout)
	defer cancel()
	resp, err := c.begin(r.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	final := resp.Request.URL
	// net/http has undone gzip, the only encoding that it asks for.
	if e := strings.ToLower(strings.TrimSpace(resp.Header.Get("Content-Encoding"))); e != "" && e != "identity" {
		return nil, &Refused{show(final), fmt.Sprintf("the answer is compressed as %q, which was not asked for", errand.Cut(e, 40))}
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

// Send carries out a request of which only the status and the headers of the answer matter:
// the Response has no body, and none is waited for.
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

// begin carries out a request until the headers of the answer are there.
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
