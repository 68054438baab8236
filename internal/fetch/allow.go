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

type allowedHost struct {
	host string // lower case
	port uint16 // 0: any port
}

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

// AllowsHost reports whether the operator has allowed the host of u.
func (c *Client) AllowsHost(u *url.URL) bool {
	return slices.ContainsFunc(c.allow, func(a allowedHost) bool { return a.is(u) })
}

// isAllowed requires the host in the whole chain of redirects: another host must not
// redirect to it, and a chain that has left it must not return.
func (c *Client) isAllowed(r *http.Request) bool {
	for _, a := range c.allow {
		if a.is(r.URL) && a.isAll(r) {
			return true
		}
	}
	return false
}

func (a allowedHost) isAll(r *http.Request) bool {
	for r.Response != nil && r.Response.Request != nil { // a redirect from another request
		r = r.Response.Request
		if !a.is(r.URL) {
			return false
		}
	}
	return true
}

// CheckHost returns an error if the address alone shows that a request would be refused: a
// forbidden IP address or port. It sends nothing and resolves no names; the result of a
// lookup is checked when it is dialed.
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
