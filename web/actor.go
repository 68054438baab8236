package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"path"
	"strings"

	"errand"
	"errand/gateway"
	"errand/rights"
)

// A caller is who a request is, and what says so.
type caller struct {
	gateway.Actor
	Login string // "local": nothing was shown; "token" or "cookie" was
}

type callerKey struct{}

// actor returns who a request is. Every handler behind [Server.identified] has
// one; elsewhere it is nobody, who may nothing.
func actor(r *http.Request) gateway.Actor { return callerOf(r).Actor }

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// cookieName is of the cookie that a browser is known by. Its value is a login
// token of its own, never a token that somebody typed in.
const cookieName = "errand"

// identified finds out who a request is and puts it into its context. What is
// shown and not valid is refused, even where nothing need be shown: whoever
// shows a revoked token is not the owner.
func (s *Server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isPublic(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		who, err := s.identify(r)
		var refused *gateway.Error
		switch {
		case err == nil:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, who)))
		case errors.As(err, &refused) && refused.Status == http.StatusUnauthorized && wantsPage(r):
			http.Redirect(w, r, "/login.html", http.StatusSeeOther)
		default:
			s.fail(w, r, err)
		}
	})
}

// isPublic holds for what everybody may have: the way in, and the parts of
// pages that say nothing of anybody.
func isPublic(p string) bool {
	switch p {
	case "/healthz", "/readyz", "/login.html", "/login", "/login/ask", "/login/state", "/logout":
		return true
	}
	switch path.Ext(p) {
	case ".js", ".css", ".svg":
		return !strings.HasPrefix(p, "/api/")
	}
	return false
}

func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

func (s *Server) identify(r *http.Request) (caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		scheme, token, _ := strings.Cut(header, " ")
		if !strings.EqualFold(scheme, "Bearer") {
			return caller{}, unauthorized("a token is shown as Authorization: Bearer …")
		}
		by, err := s.byToken(r, strings.TrimSpace(token))
		return caller{by, "token"}, err
	}
	if token := cookieOf(r); token != "" {
		by, err := s.Backend.Login(r.Context(), token)
		return caller{by, "cookie"}, err
	}
	if !s.open(r) {
		return caller{}, unauthorized("show a token: Authorization: Bearer …")
	}
	by, err := s.Backend.ActorOf(r.Context(), s.Person)
	return caller{by, "local"}, err
}

// byToken returns whose token it is: the installation's is the owner's. That one
// somebody has thought of, so it can be guessed: from where too many were wrong it
// is not looked at for a while. The others are drawn and stay valid meanwhile.
func (s *Server) byToken(r *http.Request, token string) (gateway.Actor, error) {
	from := asker(r)
	guessing := s.Token != "" && s.wrong.shut(from)
	want, got := sha256.Sum256([]byte(s.Token)), sha256.Sum256([]byte(token))
	if s.Token != "" && !guessing && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
		return s.Backend.ActorOf(r.Context(), s.Person)
	}
	by, err := s.Backend.Login(r.Context(), token)
	if isUnauthorized(err) {
		if guessing {
			return by, errTooOften
		}
		s.wrong.pass(from)
	}
	return by, err
}

func cookieOf(r *http.Request) string {
	c, err := r.Cookie(cookieName)
	if err != nil {
		return ""
	}
	return c.Value
}

// open reports whether a request that shows nothing is the owner's: it comes
// from this machine, not through a proxy on it, and no token is set.
func (s *Server) open(r *http.Request) bool {
	if s.Token != "" || isForwarded(r) {
		return false
	}
	ip := net.ParseIP(remote(r))
	return ip != nil && ip.IsLoopback()
}

// isForwarded reports whether a proxy says that it passes a request on. That
// there is one of its headers is enough: whoever sends an empty one through a
// proxy that adds another is not to be taken for somebody on this machine.
func isForwarded(r *http.Request) bool {
	for _, name := range []string{"Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Cf-Connecting-Ip", "True-Client-Ip"} {
		if len(r.Header[name]) > 0 {
			return true
		}
	}
	return false
}

// asker is whose wrong tokens are counted together: those who come through a
// proxy are not in the way of whoever sits at its machine.
func asker(r *http.Request) string {
	if isForwarded(r) {
		return remote(r) + ", forwarded"
	}
	return remote(r)
}

// remote returns the address that a request comes from, without its port.
func remote(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

func unauthorized(message string) error {
	return &gateway.Error{Status: http.StatusUnauthorized, Code: "token", Message: message}
}

// permitted serves a route to those whose role is enough for it.
func (s *Server) permitted(pattern string, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := s.Backend.May(actor(r), rights.Route, pattern)
		if err == nil {
			err = serve(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

// paced serves what sets something to work without a message, at the rate of
// messages: otherwise it would be the way around that.
func (s *Server) paced(serve func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.Backend.Pace(actor(r), errand.WebRoute("").At()); err != nil {
			return err
		}
		return serve(w, r)
	}
}

// whose returns whose things a request is about: the caller's, or those of
// ?person=, for who may look at them. Empty: everybody's.
func (s *Server) whose(r *http.Request) (errand.PersonID, error) {
	return s.Backend.Whose(actor(r), errand.PersonID(r.URL.Query().Get("person")))
}

// changes is whose for a request that changes something: only a master_admin
// changes what belongs to others.
func (s *Server) changes(r *http.Request) (errand.PersonID, error) {
	person, err := s.whose(r)
	if err == nil && person != actor(r).Person && !actor(r).Role.Includes(errand.MasterAdmin) {
		err = &gateway.Error{Status: http.StatusForbidden, Code: "forbidden", Message: "only a master_admin changes what belongs to others"}
	}
	return person, err
}
