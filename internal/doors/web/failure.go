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

type place struct{ Href, Name string }

func (s *Server) failurePage(w http.ResponseWriter, r *http.Request, e *service.Error) {
	phrases := s.textsFor(r)
	headline := cmp.Or(headlines[e.Kind], "failure.other")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(statusFor(e.Kind))
	var places []place
	if e.Kind == service.KindForbidden || e.Kind == service.KindNotFound {
		for _, p := range []place{{"/", "page.chat"}, {"/tasks", "page.tasks"}, {"/questions", "page.questions"}, {"/sessions", "page.sessions"}} {
			places = append(places, place{p.Href, phrases.Localize(p.Name)})
		}
	}
	if err := failures.Execute(w, map[string]any{"Language": phrases.Language().Tag, "Headline": phrases.Localize(headline), "Message": e.Sentence(phrases), "Places": places,
		"Back": phrases.Localize("failure.back"), "LogIn": phrases.Localize("failure.login")}); err != nil {
		s.Logger.Debug("error page not sent", "error", err)
	}
}
