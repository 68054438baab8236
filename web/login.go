package web

import (
	"net/http"
	"strings"
)

const cookieName = "errand_login"

// refuse asks a person for the token, and tells a program that it needs one.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.loginForm(w, r.URL.RequestURI(), "")
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="errand"`)
	s.fail(w, r, &apiError{http.StatusUnauthorized, "unauthorized", "this server needs its token: Authorization: Bearer …"})
}

func (s *Server) loginForm(w http.ResponseWriter, next, problem string) {
	s.page(w, http.StatusUnauthorized, "login.html", pageData{Next: next, Problem: problem})
}

// login exchanges the token for a cookie.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 64<<10)
	next := r.PostFormValue("next")
	// A path on this server and nothing else: "//host" and "/\host" are not.
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n") {
		next = "/"
	}
	if s.Token != "" {
		if !same(r.PostFormValue("token"), s.Token) {
			s.Logger.Warn("login refused", "remote", r.RemoteAddr)
			s.loginForm(w, next, "That is not the token.")
			return
		}
		http.SetCookie(w, &http.Cookie{
			Name: cookieName, Value: s.cookieValue(), Path: "/", MaxAge: 30 * 24 * 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https",
		})
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
}
