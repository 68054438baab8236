package web

import (
	"io"
	"net/http"
	"reflect"

	"errand/internal/service"
)

// triggerTask runs two operations: it creates a task and may wait for it.
func (s *Server) triggerTask() operation {
	return operation{name: "triggerTask", pattern: "POST /trigger-bot", summary: "Give a task to agents, and send its result to a webhook",
		in: reflect.TypeFor[triggerIn](), serve: s.postTrigger, answers: []answer{
			{http.StatusAccepted, "the task, which continues", jsonMedia, reflect.TypeFor[triggered]()},
			{http.StatusOK, "the task with its result", jsonMedia, reflect.TypeFor[triggered]()},
		}}
}

type route struct {
	pattern string
	serve   func(http.ResponseWriter, *http.Request) error
	checked bool // the runner of operations checks rights
}

func (s *Server) pages() []route {
	return []route{
		{pattern: "GET /sessions", serve: s.page("sessions.html")},
		{pattern: "GET /tasks", serve: s.page("tasks.html")},
		{pattern: "GET /tasks/{id}", serve: s.taskPage},
		{pattern: "GET /usage", serve: s.page("usage.html")},
		{pattern: "GET /questions", serve: s.page("questions.html")},
		{pattern: "GET /tokens", serve: s.page("tokens.html")},
		{pattern: "GET /channels", serve: s.page("channels.html")},
		{pattern: "GET /tools", serve: s.page("tools.html")},
		{pattern: "GET /models", serve: s.page("models.html")},
		{pattern: "GET /people", serve: s.page("people.html")},
		{pattern: "GET /audit", serve: s.page("audit.html")},
		{pattern: "GET /metrics", serve: s.getMetrics},
	}
}

func (s *Server) guarded() []route {
	var list []route
	for _, o := range s.operations {
		list = append(list, route{o.pattern, s.bounded(o.isMessage, o.serve), o.runner})
	}
	return append(append(list, s.pages()...), s.doors()...)
}

func (s *Server) routes(mux *http.ServeMux) {
	for _, r := range s.guarded() {
		if r.checked {
			mux.HandleFunc(r.pattern, s.answered(r.serve))
		} else {
			mux.HandleFunc(r.pattern, s.permitted(r.pattern, r.serve))
		}
	}
	loginDoor{s}.routes(mux)
	s.doorsToo(mux)
	mux.HandleFunc("GET /api/openapi.json", s.getOpenAPI)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if why := s.notReady(r.Context()); why != "" {
			http.Error(w, why, http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, service.Refuse(service.KindNotFound, "not_found", "refusal.no_route", "route", r.Method+" "+r.URL.Path))
	})
}
