package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"errand/internal/limit"
)

// address returns the network (see [limit.Network]) of the peer or, behind trusted proxies, of the
// last address that they forward. It serves to count attempts and proves no identity.
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
			break // counts all clients of this proxy together
		}
		at = next
	}
	return limit.Network(at)
}

func peer(r *http.Request) netip.Addr {
	at, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr().Unmap()
}

// parseHop also accepts an address with a port, because some proxies add one.
func parseHop(hop string) (netip.Addr, bool) {
	if host, _, err := net.SplitHostPort(hop); err == nil {
		hop = host
	}
	at, err := netip.ParseAddr(strings.Trim(hop, "[]"))
	return at.Unmap().WithZone(""), err == nil
}

// isTLS believes the client's headers, because a false one affects only the client's own cookie.
func (s *Server) isTLS(r *http.Request) bool {
	switch {
	case r.TLS != nil, strings.HasPrefix(r.Header.Get("Origin"), "https://"):
		return true
	case strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https") && s.Trusted(peer(r)):
		return true
	}
	return strings.HasPrefix(s.PublicURL, "https://") && strings.EqualFold(nameOf(r.Host), s.publicName())
}
