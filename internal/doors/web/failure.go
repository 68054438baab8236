package web

import (
	"cmp"
	"html/template"
	"net/http"

	"errand/internal/service"
)

var failures = template.Must(template.ParseFS(parts, "static/failure.html"))

var headlines = map[service.Kind]string{
	service.KindForbidden: "failure.forbidden",
	service.KindNotFound:  "failure.not_found",
	service.KindTooMany:   "failure.too_many",
}

func (s *Server) failurePage(w http.ResponseWriter, r *http.Request, e *service.Error) {
	phrases := s.textsFor(r)
	headline := cmp.Or(headlines[e.Kind], "failure.other")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(statusFor(e.Kind))
	if err := failures.Execute(w, map[string]any{"Language": phrases.Language().Tag, "Headline": phrases.Localize(headline), "Message": e.Text(phrases), "Back": phrases.Localize("failure.back"), "LogIn": phrases.Localize("failure.login")}); err != nil {
		s.Logger.Debug("error page not sent", "error", err)
	}
}
