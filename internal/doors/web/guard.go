package web

import (
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"errand/internal/core"
	"errand/internal/service"
)

// hostChecked refuses unknown host names, because a page elsewhere may have bound its name to this
// address (DNS rebinding). It also keeps pages of other origins, including other ports of this
// machine, from reading the API.
func (s *Server) hostChecked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch site := r.Header.Get("Sec-Fetch-Site"); {
		case !s.isCalled(nameOf(r.Host)):
			s.fail(w, r, service.Refuse(service.KindForbidden, "host", "refusal.host", "host", core.Cut(r.Host, 60)))
		case (site == "cross-site" || site == "same-site") && strings.HasPrefix(r.URL.Path, "/api/"):
			s.fail(w, r, errOrigin)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

var errOrigin = service.Refuse(service.KindForbidden, "origin", "refusal.origin")

// isCalled compares no addresses, because only names can be rebound to this server.
func (s *Server) isCalled(name string) bool {
	ip := net.ParseIP(name)
	for _, own := range s.Names {
		if s.Public && strings.EqualFold(name, own) {
			return true
		}
	}
	return isLocal(name) || ip != nil && (s.Public || s.Token != "") || strings.EqualFold(name, s.publicName()) && name != ""
}

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

func nameOf(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// originChecked refuses changes by pages of other sites.
func (s *Server) originChecked() (func(http.Handler) http.Handler, error) {
	p := http.NewCrossOriginProtection()
	p.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.fail(w, r, errOrigin) }))
	if s.PublicURL != "" {
		// A proxy may forward a Host other than the one that the browser requested.
		if err := p.AddTrustedOrigin(s.PublicURL); err != nil {
			return nil, err
		}
	}
	return p.Handler, nil
}

// mostHook is in bytes.
const mostHook = 1 << 20

// hooked passes the platforms' calls on before the checks that are meant for people.
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

// policyHeader is extended by pages with an inline style or script.
const policyHeader = "Content-Security-Policy"

func (s *Server) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set(policyHeader, "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		// With no-referrer, a form without scripts sends "Origin: null", which without TLS looks
		// like another site.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if h.Set("Cache-Control", "no-cache"); strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/trigger-bot" {
			h.Set("Cache-Control", "no-store") // private, and people may share a computer
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				s.Logger.Error("request panicked", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				s.refuse(w, r, errInternal)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
