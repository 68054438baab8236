package web

import (
	"net"
	"net/http"
	"net/url"

	"errand/api"
)

// IsMasterAdmin reports whether a request, to this server or to another one on this machine, is
// from a master_admin. A browser sends its cookie to all ports of a host.
func (s *Server) IsMasterAdmin(r *http.Request) bool {
	who, err := s.identify(r)
	return err == nil && who.IsMasterAdmin()
}

// withLocalUI replaces the address of the Web UI in an answer by that of [localWebUI].
func withLocalUI(r *http.Request, out any) any {
	switch out := out.(type) {
	case api.About:
		out.WebUI = localWebUI(r, out.WebUI)
		return out
	case api.Opening:
		out.About.WebUI = localWebUI(r, out.About.WebUI)
		return out
	}
	return out
}

// localWebUI returns the address of Temporal's Web UI with the host name by which the browser
// reached this server, because the browser sends the cookie only to that name. It returns "" if the
// name is not this machine's.
func localWebUI(r *http.Request, address string) string {
	at, err := url.Parse(address)
	if err != nil || address == "" {
		return address
	}
	host := nameOf(r.Host)
	if isLocal(host) {
		at.Host = net.JoinHostPort(host, at.Port())
		return at.String()
	}
	return ""
}
