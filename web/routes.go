package web

import "net/http"

// A route is a ServeMux pattern and who answers it. A handler that returns an
// error has not answered yet.
type route struct {
	pattern string
	answer  func(http.ResponseWriter, *http.Request) error
}

// api lists what static/openapi.json describes.
func (s *Server) api() []route {
	return []route{
		{"POST /api/sessions/{chat}/messages", s.postMessage},
		{"GET /api/sessions/{chat}/events", s.streamEvents},
		{"POST /api/sessions/{chat}/reset", s.resetSession},
		{"GET /api/sessions", s.listSessions},
		{"GET /api/tasks", s.listTasks},
		{"POST /api/tasks", s.createTask},
		{"GET /api/tasks/{id}", s.getTask},
		{"POST /api/tasks/{id}/cancel", s.cancelTask},
		{"POST /api/tasks/{id}/retry", s.retryTask},
		{"GET /api/outbox", s.listOutbox},
		{"POST /api/outbox/{id}/retry", s.retryOutbox},
		{"POST /api/outbox/{id}/dismiss", s.dismissOutbox},
		{"GET /api/agents", s.listAgents},
		{"GET /api/pause", s.getPause},
		{"POST /api/pause", s.pause},
		{"POST /api/resume", s.resume},
		{"GET /api/openapi.json", s.openAPI},
	}
}

func (s *Server) mux() http.Handler {
	mux := http.NewServeMux()
	for _, route := range s.api() {
		mux.HandleFunc(route.pattern, func(w http.ResponseWriter, r *http.Request) {
			if err := route.answer(w, r); err != nil {
				s.fail(w, r, err)
			}
		})
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) { s.noRoute(w, r, mux) })
	mux.HandleFunc("GET /{$}", s.chatPage)
	mux.HandleFunc("GET /tasks", s.tasksPage)
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("GET /static/{file}", s.static)
	mux.HandleFunc("GET /favicon.ico", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/static/icon.svg", http.StatusMovedPermanently)
	})
	mux.HandleFunc("GET /healthz", s.healthz)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /metrics", s.metrics)
	for pattern, handler := range s.Mount {
		mux.Handle(pattern, handler)
	}
	return mux
}

// noRoute answers what no route of the API does: with the methods that would
// have been right, if there are any.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request, mux *http.ServeMux) {
	other := r.Clone(r.Context())
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		other.Method = method
		if _, pattern := mux.Handler(other); pattern != "/api/" {
			w.Header().Add("Allow", method)
		}
	}
	if w.Header().Get("Allow") != "" {
		s.fail(w, r, &apiError{http.StatusMethodNotAllowed, "method_not_allowed", r.Method + " is not possible here"})
		return
	}
	s.fail(w, r, &apiError{http.StatusNotFound, "not_found", "there is nothing here; /api/openapi.json says what there is"})
}
