package web

import (
	"net"
	"net/http"
	"net/url"
)

// IsMasterAdmin reports whether a request, to this server or to another one on
// this machine, shows that it is of somebody who may do everything. A browser
// shows its cookie to all ports of a host.
func (s *Server) IsMasterAdmin(r *http.Request) bool {
	who, err := s.identify(r)
	return err == nil && who.IsMasterAdmin()
}

// webUI returns where the Temporal Web UI is for a browser: under the name by
// which it reached this server, as the cookie of another name would not let it in;
// nowhere, if that is not this machine's.
func (s *Server) webUI(r *http.Request) string {
	at, err := url.Parse(s.WebUI)
	if err != nil || s.WebUI == "" {
		return s.WebUI
	}
	host := nameOf(r.Host)
	if isLocal(host) {
		at.Host = net.JoinHostPort(host, at.Port())
		return at.String()
	}
	return "" // at another machine it would lead to what that one has on the port
}
