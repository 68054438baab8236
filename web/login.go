package web

import (
	"net/http"
	"strings"
	"time"

	"errand/gateway"
)

// loginFor is how long a browser stays logged in, whatever let it in.
const loginFor = gateway.LoginValid

// maxForm is the largest form that is read, in bytes.
const maxForm = 16 << 10

func (s *Server) logins(mux *http.ServeMux) {
	for pattern, serve := range map[string]func(http.ResponseWriter, *http.Request) error{
		"POST /login":      s.postLogin,
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
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/login.html", http.StatusSeeOther)
	})
}

// postLogin takes a token from the form of the login page. The browser gets a
// login of its own for it, which can be revoked and expires.
func (s *Server) postLogin(w http.ResponseWriter, r *http.Request) error {
	if !s.tries.pass(remote(r)) {
		return tooOften(w)
	}
	by, err := s.byToken(r, strings.TrimSpace(r.PostFormValue("token")))
	if isUnauthorized(err) {
		http.Redirect(w, r, "/login.html?wrong", http.StatusSeeOther)
		return nil
	}
	if err != nil {
		return err
	}
	login, err := s.Backend.NewLogin(r.Context(), by, browser(r), loginFor)
	if err != nil {
		return err
	}
	s.endLogin(r)
	setCookie(w, r, login)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// postAsk asks for somebody to be let in. What the browser gets is worth nothing
// until an administrator approves it.
func (s *Server) postAsk(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Name string `json:"name"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if !s.asks.pass(remote(r)) {
		return tooOften(w)
	}
	// A browser that asks again gives up its place first.
	if old := cookieOf(r); old != "" {
		if state, _, err := s.Backend.LoginState(r.Context(), old); err == nil && state == "pending" {
			s.endLogin(r)
		}
	}
	pairing, secret, err := s.Backend.AskLogin(r.Context(), in.Name, language(r), network(remote(r)))
	if err != nil {
		return err
	}
	s.endLogin(r)
	setCookie(w, r, secret)
	return reply(w, http.StatusCreated, map[string]any{"code": pairing.Code, "expires": pairing.Expires})
}

// getLoginState tells the login page what became of its question. open: who
// shows nothing is the owner here.
func (s *Server) getLoginState(w http.ResponseWriter, r *http.Request) error {
	out := map[string]any{"state": "none", "open": s.open(r)}
	if secret := cookieOf(r); secret != "" {
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
				setCookie(w, r, secret) // from now on for as long as a login lasts
			}
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	return reply(w, http.StatusOK, out)
}

func (s *Server) postLogout(w http.ResponseWriter, r *http.Request) error {
	s.endLogin(r)
	http.SetCookie(w, &http.Cookie{Name: cookieName, Path: "/", HttpOnly: true, Secure: isTLS(r), SameSite: http.SameSiteStrictMode, MaxAge: -1})
	return reply(w, http.StatusOK, map[string]any{"logged_out": true})
}

// endLogin ends the login that the browser had. That it cannot be ended does not
// keep anybody from another.
func (s *Server) endLogin(r *http.Request) {
	if old := cookieOf(r); old != "" {
		if err := s.Backend.Logout(r.Context(), old); err != nil && !isUnauthorized(err) {
			s.Logger.Warn("login not ended", "error", err)
		}
	}
}

func setCookie(w http.ResponseWriter, r *http.Request, login string) {
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: login, Path: "/", HttpOnly: true,
		Secure: isTLS(r), SameSite: http.SameSiteStrictMode, MaxAge: int(loginFor / time.Second)})
}

// isTLS reports whether the browser speaks TLS, with us or with a proxy. A
// browser that lies about it harms its own cookie only.
func isTLS(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

// language returns the language that a browser asks for first.
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
	agent := r.UserAgent()
	for _, name := range []string{"Firefox", "Edg", "Chrome", "Safari"} {
		if strings.Contains(agent, name) {
			if name == "Edg" {
				name = "Edge"
			}
			return "browser: " + name
		}
	}
	return "browser"
}

func tooOften(w http.ResponseWriter) error {
	w.Header().Set("Retry-After", "60")
	return errTooOften
}

var errTooOften = &gateway.Error{Status: http.StatusTooManyRequests, Code: "too_often", Message: "that was too often; try again in a minute"}

func isUnauthorized(err error) bool { return statusOf(err) == http.StatusUnauthorized }
