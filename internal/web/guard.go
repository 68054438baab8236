package web

import (
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"errand"
	"errand/internal/service"
)

// hostChecked refuses requests that call the server by a name it does not have:
// a page elsewhere whose name was bound to this address. And it keeps pages of
// others, those of another port of this machine too, from reading the API.
func (s *Server) hostChecked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case !s.isCalled(nameOf(r.Host)):
			s.fail(w, r, service.Refuse(service.KindForbidden, "host", "refusal.host", "host", errand.Cut(r.Host, 60)))
		case (site == "cross-site" || site == "same-site") && strings.HasPrefix(r.URL.Path, "/api/"):
			s.fail(w, r, errOrigin)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

var errOrigin = service.Refuse(service.KindForbidden, "origin", "refusal.origin")

// isCalled reports whether the server goes by a name. An address is no name that
// somebody could have bound to this one.
func (s *Server) isCalled(name string) bool {
	ip := net.ParseIP(name)
	for _, own := range s.Names {
		if s.Public && strings.EqualFold(name, own) {
			return true
		}
	}
	return isLocal(name) || ip != nil && (s.Public || s.Token != "") || strings.EqualFold(name, s.publicName()) && name != ""
}

// isLocal reports whether a name is this machine's own.
func isLocal(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

func (s *Server) publicName() string {
	u, err := url.Parse(s.PublicURL)
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// nameOf returns a host without its port.
func nameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// originChecked refuses what another site's page would have a browser change.
func (s *Server) originChecked() (func(http.Handler) http.Handler, error) {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errOrigin) }))
	if s.PublicURL != "" {
		// A proxy may pass on another Host than the one that the browser asked for.
		if err := p.AddTrustedOrigin(s.PublicURL); err != nil {
			return nil, err
		}
	}
	return p.Handler, nil
}

// mostHook is more than a platform has to say at once.
const mostHook = 1 << 20

// hooked passes what platforms call to whoever takes it, before any check that is
// meant for people.
func (s *Server) hooked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hook := s.Hooks[r.URL.Path]
		if hook == nil {
			next.ServeHTTP(w, r)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostHook)
		hook.ServeHTTP(w, r)
	})
}

// policyHeader says what a page may load. One that has a style or a script within adds them.
const policyHeader = "Content-Security-Policy"

func (s *Server) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set(policyHeader, "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer a form without scripts sends "Origin: null", which looks
		// like another site where there is no TLS.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if h.Set("Cache-Control", "no-cache"); strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/trigger-bot" {
			h.Set("Cache-Control", "no-store") // it is somebody's, and a computer may be shared
		}
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into an answer and a line in the log.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				s.Logger.Error("panic in a request", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				s.refuse(w, r, errInternal)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
