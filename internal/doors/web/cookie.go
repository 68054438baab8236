package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"time"

	"errand/internal/service"
)

const mostCookies = 4

// cookieName differs by installation, because all ports of a host share cookies. The value is a
// login token of its own, never a token that a person entered.
func (s *Server) cookieName() string {
	sum := sha256.Sum256([]byte("cookie of " + s.Installation))
	return "errand-" + hex.EncodeToString(sum[:6])
}

// byCookie reads all login cookies, because another program on this host can set cookies of any
// name for any path. If they belong to different people, it refuses all of them.
func (s *Server) byCookie(r *http.Request) (caller, error) {
	who := caller{Login: "cookie"}
	err := unauthorized("refusal.unknown_caller")
	for _, login := range s.shownLogins(r) {
		by, errLogin := s.Logins.Login(r.Context(), login)
		switch {
		case isUnauthorized(errLogin):
		case errLogin != nil:
			return caller{}, errLogin
		case err == nil && by.Person != who.Person:
			return caller{}, unauthorized("refusal.two_logins")
		default:
			who.Actor, err = by, nil
		}
	}
	if err != nil {
		return caller{}, err
	}
	who.Actor = who.Through(service.DoorPage)
	return who, nil
}

func (s *Server) shownLogins(r *http.Request) []string {
	var list []string
	for _, c := range r.CookiesNamed(s.cookieName()) {
		if c.Value != "" && len(list) < mostCookies && !slices.Contains(list, c.Value) {
			list = append(list, c.Value)
		}
	}
	return list
}

func (s *Server) secretOf(r *http.Request) string {
	if list := s.shownLogins(r); len(list) > 0 {
		return list[0]
	}
	return ""
}

func (s loginDoor) setCookie(w http.ResponseWriter, r *http.Request, login string) {
	s.cookie(w, r, s.cookieName(), login, int(loginFor/time.Second))
}

func (s loginDoor) forgetCookie(w http.ResponseWriter, r *http.Request) {
	s.cookie(w, r, s.cookieName(), "", -1)
}

func (s *Server) cookie(w http.ResponseWriter, r *http.Request, name, value string, age int) {
	http.SetCookie(w, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true,
		Secure: s.isTLS(r), SameSite: http.SameSiteStrictMode, MaxAge: age})
}
