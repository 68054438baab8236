package web

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"errand/internal/service"
)

const loginFor = service.LoginValid

// maxForm is in bytes.
const maxForm = 16 << 10

// A loginDoor logs browsers in and out.
type loginDoor struct{ *Server }

func (s loginDoor) routes(mux *http.ServeMux) {
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
		s.assets.pages["open.html"][s.readersTexts(r).Language().Tag].serve(w, r, "open.html")
	})
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login.html", http.StatusSeeOther)
	})
}

// postLogin gives the browser a login of its own, which expires and can be revoked.
func (s loginDoor) postLogin(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); errors.As(err, new(*http.MaxBytesError)) {
		return unread(err)
	}
	by, err := s.byToken(r, strings.TrimSpace(r.PostFormValue("token")))
	form := strings.Contains(r.Header.Get("Accept"), "text/html") // a browser without scripts
	switch {
	case isUnauthorized(err) && !s.attempts.allow(s.address(r)):
		return errTooOften
	case isUnauthorized(err) && form:
		http.Redirect(w, r, "/login.html?wrong", http.StatusSeeOther)
		return nil
	case err != nil:
		return err
	}
	login, err := s.Logins.NewLogin(r.Context(), by.Through(service.DoorPage), browser(r), loginFor)
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

// postLink receives the part of /open after the #, which browsers do not send by themselves, so
// that no log contains it.
func (s loginDoor) postLink(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Link string `json:"link"`
	}
	if err := read(w, r, &in, maxForm); err != nil {
		return err
	}
	login, err := s.Logins.RedeemLink(r.Context(), in.Link, browser(r), loginFor)
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

// postAsk returns a secret that is useless until an administrator approves the request.
func (s loginDoor) postAsk(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(w, r, &in, maxForm); err != nil {
		return err
	}
	if !s.asks.allow(s.address(r)) {
		return errTooOften
	}
	// A browser that asks again first withdraws its earlier request.
	if old := s.secretOf(r); old != "" {
		if state, _, err := s.Logins.LoginState(r.Context(), old); err == nil && state == "pending" {
			s.endLogin(r)
		}
	}
	pairing, secret, err := s.Logins.AskLogin(r.Context(), in.Name, language(r), s.address(r))
	if err != nil {
		return err
	}
	s.endLogin(r)
	s.setCookie(w, r, secret)
	return reply(w, http.StatusCreated, map[string]any{"code": pairing.Code, "expires": pairing.Expires})
}

func (s loginDoor) getLoginState(w http.ResponseWriter, r *http.Request) error {
	out := map[string]any{"state": "none"}
	if secret := s.secretOf(r); secret != "" {
		by, err := s.Logins.Login(r.Context(), secret)
		state := "approved"
		if isUnauthorized(err) {
			state, by, err = s.Logins.LoginState(r.Context(), secret)
		}
		switch {
		case isUnauthorized(err): // the login has ended, or never was one
		case err != nil:
			return err
		default:
			out["state"] = state
			if state == "approved" {
				out["name"] = by.Name
				s.setCookie(w, r, secret) // renews its lifetime
			}
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	return reply(w, http.StatusOK, out)
}

func (s loginDoor) postLogout(w http.ResponseWriter, r *http.Request) error {
	s.endLogin(r)
	s.forgetCookie(w, r)
	return reply(w, http.StatusOK, map[string]any{"logged_out": true})
}

// endLogin only logs an error, so that the browser can log in again.
func (s loginDoor) endLogin(r *http.Request) {
	for _, login := range s.shownLogins(r) {
		if err := s.Logins.Logout(r.Context(), login); err != nil && !isUnauthorized(err) {
			s.Logger.Warn("login not revoked", "error", err)
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

func browser(r *http.Request) string {
	name := browserName(r)
	if name == "" {
		return "browser"
	}
	return "browser: " + name
}

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
