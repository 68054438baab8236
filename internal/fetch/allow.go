package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// An allowedHost is a host of the operator's own.
type allowedHost struct {
	host string // in lower case
	port uint16 // 0: every port
}

// parseAllowed reads host or host:port, as errand.yaml has it.
func parseAllowed(s string) (allowedHost, error) {
	s = strings.ToLower(strings.TrimSpace(s))
	if ip, err := netip.ParseAddr(strings.Trim(s, "[]")); err == nil {
		return allowedHost{host: ip.String()}, nil
	}
	a := allowedHost{host: s}
	wrong := fmt.Errorf("%q is not a host: write host or host:port, without https:// and path", s)
	if strings.ContainsAny(s, "/@?#* ") {
		return a, wrong
	}
	if host, port, err := net.SplitHostPort(s); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return a, fmt.Errorf("%q: %q is no port", s, port)
		}
		a = allowedHost{host, uint16(n)}
	}
	u := &url.URL{Scheme: "https", Host: a.host}
	if strings.Contains(a.host, ":") {
		u.Host = "[" + a.host + "]"
	}
	if checkURL(u) != nil {
		return a, wrong
	}
	a.host = u.Hostname()
	return a, nil
}

func (a allowedHost) is(u *url.URL) bool {
	return strings.EqualFold(a.host, u.Hostname()) && (a.port == 0 || a.port == portOf(u))
}

// AllowsHost reports whether an address is of a host of the operator's own.
func (c *Client) AllowsHost(u *url.URL) bool {
	return slices.ContainsFunc(c.allow, func(a allowedHost) bool { return a.is(u) })
}

// isAllowed reports whether a request goes to a host of the operator's that the
// first request of its chain of redirects named too: no other host leads there, and
// who has left it does not come back.
func (c *Client) isAllowed(r *http.Request) bool {
	for _, a := range c.allow {
		if a.is(r.URL) && a.isAll(r) {
			return true
		}
	}
	return false
}

// isAll reports whether a is the host of every request that led to r.
func (a allowedHost) isAll(r *http.Request) bool {
	for r.Response != nil && r.Response.Request != nil { // a redirect led here
		r = r.Response.Request
		if !a.is(r.URL) {
			return false
		}
	}
	return true
}

// CheckHost says what is wrong with an address before anything is sent to it, as far as it can be
// read from it: an address of a machine that may not be connected to, or a port. What a
// name resolves to is checked when it is dialed.
func (c *Client) CheckHost(u *url.URL) error {
	if err := checkURL(u); err != nil {
		return err
	}
	if c.AllowsHost(u) {
		return nil
	}
	host := strings.TrimRight(strings.ToLower(u.Hostname()), ".")
	ip, err := netip.ParseAddr(host)
	why := ""
	switch {
	case err == nil:
		why = CheckAddr(ip)
	case host == "localhost" || strings.HasSuffix(host, ".localhost"):
		why = "a loopback address"
	}
	if why != "" {
		return notPublicHost(u, why)
	}
	if why := checkPort(portOf(u)); why != "" {
		return &Refused{show(u), (&badPort{portOf(u), why}).Error()}
	}
	return nil
}
