package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"errand/internal/service"
)

// oldCookie is what the cookie was called when all installations used one name.
// It is read for one release, and replaced.
const oldCookie = "errand"

// mostCookies is how many cookies of one name are looked at.
const mostCookies = 4

// cookieName is of the cookie that a browser is known by. Cookies know no ports:
// two installations on one host would end each other's logins under one name. Its
// value is a login token of its own, never a token that somebody typed in.
func (s *Server) cookieName() string {
	sum := sha256.Sum256([]byte("cookie of " + s.Installation))
	return "errand-" + hex.EncodeToString(sum[:6])
}

// byCookie returns whose login a browser has. Another program on this host can
// set cookies of any name, on any path: one that is no login does not keep the
// person's own from counting, and of two logins of different people none counts.
func (s *Server) byCookie(r *http.Request) (caller, error) {
	who := caller{Login: "cookie"}
	err := unauthorized("refusal.unknown_caller")
	logins := s.shownLogins(r)
	for i, login := range logins {
		by, errLogin := s.Backend.Login(r.Context(), login.value)
		switch {
		case isUnauthorized(errLogin):
		case errLogin != nil:
			return caller{}, errLogin
		case err == nil && by.Person != who.Person:
			return caller{}, unauthorized("refusal.two_logins")
		default:
			who.Actor, err = by, nil
			if login.old {
				who.old = login.value
			}
		}
		if err == nil && i+1 < len(logins) && logins[i+1].old {
			break // what it was called before counts only if nothing else does
		}
	}
	if err != nil {
		return caller{}, err
	}
	who.Actor = who.Through(service.DoorPage)
	return who, nil
}

// A shownLogin is what a browser is known by.
type shownLogin struct {
	value string
	old   bool
}

// shownLogins are the values of the cookie, the old one last.
func (s *Server) shownLogins(r *http.Request) []shownLogin {
	var list []shownLogin
	for _, name := range []string{s.cookieName(), oldCookie} {
		for _, c := range r.CookiesNamed(name) {
			l := shownLogin{c.Value, name == oldCookie}
			if c.Value != "" && len(list) < mostCookies && !slices.Contains(list, l) {
				list = append(list, l)
			}
		}
	}
	return list
}

// secretOf is what the browser asked to be let in with, or is logged in by.
func (s *Server) secretOf(r *http.Request) string {
	if list := s.shownLogins(r); len(list) > 0 {
		return list[0].value
	}
	return ""
}

func (s *Server) setCookie(w http.ResponseWriter, r *http.Request, login string) {
	s.cookie(w, r, s.cookieName(), login, int(loginFor/time.Second))
	if slices.ContainsFunc(r.CookiesNamed(oldCookie), func(c *http.Cookie) bool { return c.Value == login }) {
		s.cookie(w, r, oldCookie, "", -1)
	}
}

func (s *Server) forgetCookie(w http.ResponseWriter, r *http.Request) {
	s.cookie(w, r, s.cookieName(), "", -1)
	if len(r.CookiesNamed(oldCookie)) > 0 {
		s.cookie(w, r, oldCookie, "", -1)
	}
}

func (s *Server) cookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true,
		Secure: s.isTLS(r), SameSite: http.SameSiteStrictMode, MaxAge: age})
}
