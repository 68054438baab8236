package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"errand/internal/service"
)

const loginFor = service.LoginValid

// maxForm is the largest form that is read, in bytes.
const maxForm = 16 << 10

func (s *Server) logins(mux *http.ServeMux) {
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /login":      s.postLogin,
		"POST /login/link": s.postLink,
		"POST /login/ask":  s.postAsk,
		"GET /login/state": s.getLoginState,
		"POST /logout":     s.postLogout,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, maxForm)
			if err := serve(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	mux.HandleFunc("GET /open", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		s.assets.serve(w, r, "open.html")
	})
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login.html", http.StatusSeeOther)
	})
}

// postLogin takes a token from the login page. The browser gets a login of its
// own for it, which can be revoked and expires.
func (s *Server) postLogin(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); errors.As(err, new(*http.MaxBytesError)) {
		return unread(err)
	}
	by, err := s.byToken(r, strings.TrimSpace(r.PostFormValue("token")))
	form := strings.Contains(r.Header.Get("Accept"), "text/html") // of a browser without scripts
	switch {
	case isUnauthorized(err) && !s.attempts.allow(s.address(r)):
		return errTooOften
	case isUnauthorized(err) && form:
		http.Redirect(w, r, "/login.html?wrong", http.StatusSeeOther)
		return nil
	case err != nil:
		return err
	}
	login, err := s.Backend.NewLogin(r.Context(), by.Through(service.DoorPage), browser(r), loginFor)
	if err != nil {
		return err
	}
	s.endLogin(r)
	s.setCookie(w, r, login)
	if form {
		http.Redirect(w, r, "/", http.StatusSeeOther)
		return nil
	}
	return reply(w, http.StatusOK, map[string]any{"logged_in": true})
}

// postLink takes what the page /open has from its address: after the #, which
// browsers send nowhere, so that no log and no proxy sees it.
func (s *Server) postLink(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Link string `json:"link"`
	}
	if err := read(w, r, &in, maxForm); err != nil {
		return err
	}
	login, err := s.Backend.RedeemLink(r.Context(), in.Link, browser(r), loginFor)
	if isUnauthorized(err) && !s.attempts.allow(s.address(r)) {
		return errTooOften
	}
	if err != nil {
		return err
	}
	s.endLogin(r)
	s.setCookie(w, r, login)
	return reply(w, http.StatusOK, map[string]any{"logged_in": true})
}

type linkOut struct {
	Addresses []string  `json:"addresses,omitempty"` // where other machines reach this server, for the path
	Expires   time.Time `json:"expires"`
	Path      string    `json:"path"`
	PublicURL string    `json:"public_url"`
}

func (s *Server) postNewLink(r *http.Request, _ nothing) (linkOut, error) {
	link, expires, err := s.Backend.NewLink(r.Context(), actor(r))
	out := linkOut{Expires: expires, Path: LinkPath(link), PublicURL: s.PublicURL}
	if s.Addresses != nil {
		out.Addresses = s.Addresses()
	}
	return out, err
}

// LinkPath is where a link is opened.
func LinkPath(link string) string { return "/open#" + link }

// postAsk asks for somebody to be let in. What the browser gets is worth nothing
// until an administrator approves it.
func (s *Server) postAsk(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(w, r, &in, maxForm); err != nil {
		return err
	}
	if !s.asks.allow(s.address(r)) {
		return errTooOften
	}
	// A browser that asks again gives up its place first.
	if old := s.secretOf(r); old != "" {
		if state, _, err := s.Backend.LoginState(r.Context(), old); err == nil && state == "pending" {
			s.endLogin(r)
		}
	}
	pairing, secret, err := s.Backend.AskLogin(r.Context(), in.Name, language(r), network(s.address(r)))
	if err != nil {
		return err
	}
	s.endLogin(r)
	s.setCookie(w, r, secret)
	return reply(w, http.StatusCreated, map[string]any{"code": pairing.Code, "expires": pairing.Expires})
}

// getLoginState tells the pages without a login what became of their question.
func (s *Server) getLoginState(w http.ResponseWriter, r *http.Request) error {
	out := map[string]any{"state": "none"}
	if secret := s.secretOf(r); secret != "" {
		by, err := s.Backend.Login(r.Context(), secret)
		state := "approved"
		if isUnauthorized(err) {
			state, by, err = s.Backend.LoginState(r.Context(), secret)
		}
		switch {
		case isUnauthorized(err): // a login that has ended, or was never one
		case err != nil:
			return err
		default:
			out["state"] = state
			if state == "approved" {
				out["name"] = by.Name
				s.setCookie(w, r, secret) // from now on for as long as a login lasts
			}
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	return reply(w, http.StatusOK, out)
}

func (s *Server) postLogout(w http.ResponseWriter, r *http.Request) error {
	s.endLogin(r)
	s.forgetCookie(w, r)
	return reply(w, http.StatusOK, map[string]any{"logged_out": true})
}

// endLogin ends the login that the browser had. That it cannot be ended does not
// keep anybody from another.
func (s *Server) endLogin(r *http.Request) {
	for _, login := range s.shownLogins(r) {
		if err := s.Backend.Logout(r.Context(), login); err != nil && !isUnauthorized(err) {
			s.Logger.Warn("login not ended", "error", err)
		}
	}
}

func language(r *http.Request) string {
	first, _, _ := strings.Cut(r.Header.Get("Accept-Language"), ",")
	first, _, _ = strings.Cut(first, ";")
	if first = strings.TrimSpace(first); len(first) > 35 || first == "*" {
		return ""
	}
	return first
}

// browser says what a login is of, so that a person can tell theirs apart.
func browser(r *http.Request) string {
	name := browserName(r)
	if name == "" {
		return "browser"
	}
	return "browser: " + name
}

// browserName is what a browser says it is; empty: nothing that is known.
func browserName(r *http.Request) string {
	agent := r.UserAgent()
	for _, name := range []string{"Firefox", "Edg", "Chrome", "Safari"} {
		if strings.Contains(agent, name) {
			if name == "Edg" {
				name = "Edge"
			}
			return name
		}
	}
	return ""
}

// deviceName is what a browser says it runs on; empty: nothing that is known.
func deviceName(r *http.Request) string {
	agent := r.UserAgent()
	for _, of := range [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Windows", "Windows"}, {"Mac OS", "macOS"}, {"Linux", "Linux"}} {
		if strings.Contains(agent, of[0]) {
			return of[1]
		}
	}
	return ""
}

var errTooOften = service.TooMany("too_often", time.Minute, "refusal.too_often")

func isUnauthorized(err error) bool { return statusOf(err) == http.StatusUnauthorized }
