package web

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"path"
	"strings"

	"errand/internal/actor"
	"errand/internal/limit"
	"errand/internal/ownerkey"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

type caller struct {
	actor.Actor
	Login string // "token" or "cookie"
}

type callerKey struct{}

// actorOf returns the actor of a request. Handlers behind [Server.identified] have one; for others
// it is the zero Actor, who has no rights.
func actorOf(r *http.Request) actor.Actor { return callerOf(r).Actor }

func callerOf(r *http.Request) caller {
	c, _ := r.Context().Value(callerKey{}).(caller)
	return c
}

// identified passes a request without credentials on as a stranger's.
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

// withCaller returns nil if it has refused the request.
func (s *Server) withCaller(w http.ResponseWriter, r *http.Request) *http.Request {
	who, err := s.identify(r)
	switch {
	case isUnauthorized(err) && wantsPage(r):
		http.Redirect(w, r, "/login.html", http.StatusSeeOther)
		return nil
	case err != nil:
		s.fail(w, r, err)
		return nil
	}
	limit.Identify(r.Context(), string(who.Person))
	return r.WithContext(context.WithValue(r.Context(), callerKey{}, who))
}

// isPublic reports whether a path is part of the login or of pages without private content.
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

// identify finds the caller by the token or the cookies. It refuses an invalid header, even if the
// cookie is valid.
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

// cliAgent selects the name of the door in the audit log. It gives no rights.
const cliAgent = "errand-cli"

func isCLI(r *http.Request) bool { return strings.HasPrefix(r.UserAgent(), cliAgent) }

// byToken returns the actor of a token. Wrong tokens of other clients never block a right one, with
// one exception: the installation's token if it is short enough to be guessed.
func (s *Server) byToken(r *http.Request, token string) (actor.Actor, error) {
	from := s.address(r)
	if isSecret(token, s.Key) {
		return s.Logins.ActorOf(r.Context(), s.Person)
	}
	if isSecret(token, s.Token) && (len(s.Token) >= ownerkey.LeastToken || !s.wrong.exhausted(from)) {
		by, err := s.Logins.ActorOf(r.Context(), s.Person)
		return by.AsProgram(), err
	}
	by, err := s.Logins.Login(r.Context(), token)
	if isUnauthorized(err) && !s.wrong.allow(from) {
		return by, errTooOften
	}
	return by, err
}

// isSecret compares in constant time. An empty secret matches nothing.
func isSecret(shown, secret string) bool {
	want, got := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(shown))
	return secret != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

func unauthorized(why texts.Key) error {
	return service.Refuse(service.KindUnauthenticated, "token", why)
}

func (s *Server) answered(serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := serve(w, r); err != nil {
			s.fail(w, r, err)
		}
	}
}

func (s *Server) permitted(pattern string, serve func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return s.answered(func(w http.ResponseWriter, r *http.Request) error {
		if err := s.mayUse(r, pattern); err != nil {
			return err
		}
		return serve(w, r)
	})
}

func (s *Server) mayUse(r *http.Request, pattern string) error {
	return s.MayUse(actorOf(r), rights.Route, pattern)
}
