package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// address returns where a request really comes from: the peer, or where the peer
// is a trusted proxy the last address that it and its like pass on. It proves
// nothing; it is what attempts are counted by.
func (s *Server) address(r *http.Request) string {
	at := peer(r)
	if !at.IsValid() {
		return r.RemoteAddr
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !s.Trusted(at) {
			break
		}
		next, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break // nobody can be told apart behind it
		}
		at = next
	}
	return at.String()
}

func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// parseHop reads one word of X-Forwarded-For: an address, of some proxies with a
// port.
func parseHop(hop string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(hop); err == nil {
		hop = host
	}
	at, err := netip.ParseAddr(strings.Trim(hop, "[]"))
	return at.Unmap().WithZone(""), err == nil
}

// isTLS reports whether the browser speaks TLS, with us or with a proxy. A
// browser that lies about it harms its own cookie only.
func (s *Server) isTLS(r *http.Request) bool {
	switch {
	case r.TLS != nil, strings.HasPrefix(r.Header.Get("Origin"), "https://"):
		return true
	case strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") && s.Trusted(peer(r)):
		return true
	}
	return strings.HasPrefix(s.PublicURL, "https://") && strings.EqualFold(nameOf(r.Host), s.publicName())
}
