package web

import (
	"net"
	"net/http"
	"runtime/debug"
	"strings"

	"errand"
	"errand/gateway"
)

// hostChecked refuses requests that call the server by a name it does not have:
// a page elsewhere whose name was bound to this address.
func (s *Server) hostChecked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		host = strings.Trim(host, "[]")
		ip := net.ParseIP(host)
		ok := host == "localhost" || ip != nil && (ip.IsLoopback() || s.Token != "")
		for _, name := range s.Hosts {
			ok = ok || strings.EqualFold(name, host)
		}
		if r.Header.Get("Sec-Fetch-Site") == "cross-site" && strings.HasPrefix(r.URL.Path, "/api/") {
			s.fail(w, r, &gateway.Error{Status: http.StatusForbidden, Code: "origin", Message: "pages of other sites may not use this"})
			return
		}
		if !ok {
			s.fail(w, r, &gateway.Error{Status: http.StatusForbidden, Code: "host", Message: "errand is not called " + errand.Cut(host, 60) + "; use its address"})
			return
		}
		next.ServeHTTP(w, r)
	})
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

func (s *Server) headers(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}

// recovered turns a panic into an answer and a line in the log.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				s.Logger.Error("panic in a request", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
				http.Error(w, "internal error", http.StatusInternalServerError)
			}
		}()
		next.ServeHTTP(w, r)
	})
}
