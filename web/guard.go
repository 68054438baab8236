package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
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

// authorized asks for the token where one is set: as a bearer token, or as the
// cookie that the login page sets.
func (s *Server) authorized(next http.Handler) http.Handler {
	if s.Token == "" {
		return next
	}
	want := sha256.Sum256([]byte(s.Token))
	matches := func(given string) bool {
		got := sha256.Sum256([]byte(given))
		return subtle.ConstantTimeCompare(got[:], want[:]) == 1
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz", "/readyz", "/login.html", "/style.css", "/icon.svg":
			next.ServeHTTP(w, r)
			return
		case "/login":
			if r.Method != http.MethodPost || !matches(r.FormValue("token")) {
				http.Redirect(w, r, "/login.html", http.StatusSeeOther)
				return
			}
			http.SetCookie(w, &http.Cookie{Name: "errand", Value: s.cookie(), Path: "/", HttpOnly: true,
				Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode, MaxAge: 30 * 24 * 3600})
			http.Redirect(w, r, "/", http.StatusSeeOther)
			return
		}
		scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		c, err := r.Cookie("errand")
		switch {
		case strings.EqualFold(scheme, "Bearer") && matches(given),
			err == nil && hmac.Equal([]byte(c.Value), []byte(s.cookie())):
			next.ServeHTTP(w, r)
		case r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
			http.Redirect(w, r, "/login.html", http.StatusSeeOther)
		default:
			s.fail(w, r, &gateway.Error{Status: http.StatusUnauthorized, Code: "token", Message: "the token is missing or wrong: Authorization: Bearer …"})
		}
	})
}

// cookie is what a browser that has shown the token keeps: not the token itself.
func (s *Server) cookie() string {
	mac := hmac.New(sha256.New, []byte(s.Token))
	mac.Write([]byte("errand login"))
	return hex.EncodeToString(mac.Sum(nil))
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
