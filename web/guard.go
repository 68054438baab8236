package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
)

// policy lets the pages load what is served here and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// guarded lets through what this server's own pages, and programs that know the
// token, ask for.
//
// A server on the loopback interface is reachable from every web page that its
// user opens. The Host is checked against DNS rebinding, where a name of the
// attacker's is made to resolve to 127.0.0.1, and the Origin against requests
// that another site's page sends by itself.
func (s *Server) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case r.URL.Path == "/healthz" || r.URL.Path == "/readyz":
			// Probes come by address, and there is nothing to learn or do.
		case !s.knownHost(r.Host):
			s.fail(w, r, &apiError{http.StatusForbidden, "unknown_host",
				"this server does not answer to the name " + strings.ToValidUTF8(r.Host, "?") + "; names it should answer to go into its configuration"})
			return
		case acts(r) && !sameOrigin(r):
			s.fail(w, r, &apiError{http.StatusForbidden, "cross_origin", "requests from the pages of other sites are refused"})
			return
		case !public(r) && !s.mayEnter(r):
			s.refuse(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// knownHost reports whether this server answers to the name in a Host header.
// Addresses, unlike names, cannot be made to point here by others; they are
// accepted where the server listens on more than the loopback interface.
func (s *Server) knownHost(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), "."))
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback() || !loopbackAddr(s.Addr) || slices.Contains(s.Hosts, host)
	}
	return host == "localhost" || slices.ContainsFunc(s.Hosts, func(name string) bool { return strings.EqualFold(name, host) })
}

// acts reports whether r changes something or opens a stream.
func acts(r *http.Request) bool {
	return r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasSuffix(r.URL.Path, "/events")
}

// sameOrigin reports whether r comes from a page of this server, or from no
// page at all: programs other than browsers send neither header.
func sameOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, r.Host)
}

// public holds for what the login form needs.
func public(r *http.Request) bool {
	return strings.HasPrefix(r.URL.Path, "/static/") || r.URL.Path == "/login"
}

// mayEnter reports whether r shows the token, or the cookie that was given for
// it.
func (s *Server) mayEnter(r *http.Request) bool {
	if s.Token == "" {
		return true
	}
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		return same(token, s.Token)
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && same(cookie.Value, s.cookieValue())
}

// cookieValue proves that its bearer has shown the token, without being it. It
// changes with the token.
func (s *Server) cookieValue() string {
	mac := hmac.New(sha256.New, []byte(s.Token))
	mac.Write([]byte("errand login"))
	return hex.EncodeToString(mac.Sum(nil))
}

// same compares in a time that depends on neither content nor length.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// recovered turns a panic into a 500.
func (s *Server) recovered(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p)
			}
			s.Logger.Error("panic", "method", r.Method, "path", r.URL.Path, "panic", p, "stack", string(debug.Stack()))
			write(w, http.StatusInternalServerError, errorBody("internal", "something went wrong here; the log says what"))
		}()
		next.ServeHTTP(w, r)
	})
}
