package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"path"
	"strings"

	"errand"
	"errand/internal/netlimit"
	"errand/internal/ownerkey"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// A caller is who a request is, and what says so.
type caller struct {
	service.Actor
	Login string // "token" or "cookie"
}

type callerKey struct{}

// actor returns who a request is. Every handler behind [Server.identified] has
// one; elsewhere it is nobody, who may nothing.
func actor(r *http.Request) service.Actor { return callerOf(r).Actor }

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// identified finds out who a request is and puts it into its context. Who shows
// nothing is a stranger, wherever they ask from.
func (s *Server) identified(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isPublic(r.URL.Path) && (!isCard(r.URL.Path) || len(r.Header["Authorization"]) > 0) {
			if r = s.withCaller(w, r); r == nil {
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// withCaller puts the caller into the request's context. It returns nil if it has refused the request.
func (s *Server) withCaller(w http.ResponseWriter, r *http.Request) *http.Request {
	who, err := s.identify(r)
	switch {
	case isUnauthorized(err) && wantsPage(r):
		http.Redirect(w, r, "/login.html", http.StatusSeeOther)
		return nil
	case err == nil && !netlimit.Known(r.Context(), string(who.Person)):
		err = service.Refuse(service.KindTooMany, "connections", "refusal.connections")
	}
	if err != nil {
		s.fail(w, r, err)
		return nil
	}
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
}

// isPublic holds for what everybody may have: the way in, and the parts of
// pages that say nothing of anybody.
func isPublic(p string) bool {
	switch p {
	case "/manifest.json", "/healthz", "/readyz", "/open", "/login.html", "/login", "/login/ask", "/login/link", "/login/state", "/logout":
		return true
	}
	if strings.HasPrefix(p, metadataPath+"/") {
		return true
	}
	switch path.Ext(p) {
	case ".js", ".mjs", ".css", ".svg", ".png":
		return !strings.HasPrefix(p, "/api/")
	}
	return false
}

func wantsPage(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
}

// identify finds out who a request is by what it shows, and by nothing else.
// What is there and not valid, or empty, is refused, whatever else is shown.
func (s *Server) identify(r *http.Request) (caller, error) {
	headers := r.Header["Authorization"]
	if len(headers) == 0 {
		return s.byCookie(r)
	}
	scheme, token, _ := strings.Cut(headers[0], " ")
	if token = strings.TrimSpace(token); len(headers) > 1 || !strings.EqualFold(scheme, "Bearer") || token == "" {
		return caller{}, unauthorized("refusal.bearer")
	}
	by, err := s.byToken(r, token)
	door := service.DoorAPI
	if isCLI(r) {
		door = service.DoorCLI
	}
	return caller{Actor: by.Through(door), Login: "token"}, err
}

// cliAgent begins what errand's command line calls itself in its requests. By it go the name
// of a door in the audit log and, see isTerminal, the language of refusals; no right does.
const cliAgent = "errand-cli"

func isCLI(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), cliAgent) }

// byToken returns whose token it is: the key and the installation's are the
// owner's, though the latter is no person's word. A right one is never refused for the wrong ones of others, but for a
// short token of the installation, which can be guessed: where too many were
// wrong it is not looked at for a while.
func (s *Server) byToken(r *http.Request, token string) (service.Actor, error) {
	from := s.address(r)
	if isSecret(token, s.Key) {
		return s.Backend.ActorOf(r.Context(), s.Person)
	}
	if isSecret(token, s.Token) && (len(s.Token) >= ownerkey.LeastToken || !s.wrong.exhausted(from)) {
		by, err := s.Backend.ActorOf(r.Context(), s.Person)
		return by.AsProgram(), err
	}
	by, err := s.Backend.Login(r.Context(), token)
	if isUnauthorized(err) && !s.wrong.allow(from) {
		return by, errTooOften
	}
	return by, err
}

// isSecret compares in constant time. Nothing is an empty secret.
func isSecret(shown, secret string) bool {
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(shown))
	return secret != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func unauthorized(why texts.Key) error {
	return service.Refuse(service.KindUnauthenticated, "token", why)
}

// permitted serves a route to those whose role is enough for it.
func (s *Server) permitted(pattern string, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := s.mayUse(r, pattern)
		if err == nil {
			err = serve(w, r)
		}
		if err != nil {
			s.fail(w, r, err)
		}
	}
}

func (s *Server) mayUse(r *http.Request, pattern string) error {
	return s.Backend.MayUse(actor(r), rights.Route, pattern)
}

// limitMessages serves an operation at the rate of messages.
func (s *Server) limitMessages(serve func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if err := s.Backend.AllowMessage(actor(r), errand.WebRoute("").At()); err != nil {
			return err
		}
		return serve(w, r)
	}
}
