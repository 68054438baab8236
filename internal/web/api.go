package web

import (
	"io"
	"net/http"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

// A route is one operation; the table of rights says who may use it, and
// openapi.json describes those of the API.
type route struct {
	pattern string
	serve   func(http.ResponseWriter, *http.Request) error
}

func (s *Server) api() []route {
	return []route{
		{"GET /api/me", s.getMe},
		{"POST /api/me/link", s.paced(s.postNewLink)},
		{"GET /api/about", s.getAbout},
		{"POST /api/models/check", s.paced(s.postModelsCheck)},
		{"GET /api/agents", s.getAgents},
		{"POST /api/sessions/{chat}/messages", s.postMessage},
		{"GET /api/sessions/{chat}/events", s.getEvents},
		{"POST /api/sessions/{chat}/reset", s.paced(s.postReset)},
		{"GET /api/sessions", s.getSessions},
		{"GET /api/sessions/search", s.getSearch},
		{"GET /api/tasks", s.getTasks},
		{"POST /api/tasks", s.paced(s.postTask)},
		{"GET /api/tasks/{id}", s.getTask},
		{"POST /api/tasks/{id}/cancel", s.postCancel},
		{"POST /api/tasks/{id}/retry", s.paced(s.postRetry)},
		{"GET /api/outbox", s.getOutbox},
		{"POST /api/outbox/{id}/retry", s.postOutboxRetry},
		{"POST /api/outbox/{id}/dismiss", s.postOutboxDismiss},
		{"GET /api/sessions/{id}", s.getSession},
		{"GET /api/sessions/{id}/export", s.getExport},
		{"GET /api/artifacts/{id}", s.getArtifact},
		{"DELETE /api/sessions/{id}", s.deleteSession},
		{"GET /api/reminders", s.getReminders},
		{"POST /api/reminders", s.paced(s.postReminder)},
		{"DELETE /api/reminders/{id}", s.deleteReminder},
		{"GET /api/usage", s.getUsage},
		{"GET /api/channels", s.getChannels},
		{"GET /api/channels/{channel}/{account}/qr", s.getChannelQR},
		{"POST /api/channels/{channel}/{account}/code", s.paced(s.postChannelCode)},
		{"GET /api/maintenance", s.getMaintenance},
		{"POST /api/maintenance/run", s.postMaintenance},
		{"GET /api/memory", s.getMemory},
		{"DELETE /api/memory/{agent}/{key}", s.deleteNote},
		{"GET /api/people", s.getPeople},
		{"POST /api/people/{id}", s.postPerson},
		{"DELETE /api/people/{id}", s.deletePerson},
		{"POST /api/people/{id}/identities", s.postIdentity},
		{"DELETE /api/people/{id}/identities", s.deleteIdentity},
		{"GET /api/people/{id}/tokens", s.getTokens},
		{"POST /api/people/{id}/tokens", s.postToken},
		{"DELETE /api/tokens/{id}", s.deleteToken},
		{"GET /api/pairings", s.getPairings},
		{"POST /api/pairings/{code}/approve", s.postApprove},
		{"POST /api/pairings/{code}/deny", s.postDeny},
		{"GET /api/refusals", s.getRefusals},
		{"POST /api/pause", s.postPause},
		{"POST /api/resume", s.postResume},
	}
}

// pages are what people open in a browser, and what machines read that is not
// part of the API.
func (s *Server) pages() []route {
	return []route{
		{"GET /sessions", page("sessions.html")},
		{"GET /tasks", page("tasks.html")},
		{"GET /channels", page("channels.html")},
		{"GET /people", page("people.html")},
		{"GET /metrics", s.metrics},
	}
}

func (s *Server) routes(mux *http.ServeMux) {
	for _, r := range append(s.api(), s.pages()...) {
		mux.HandleFunc(r.pattern, s.permitted(r.pattern, r.serve))
	}
	s.logins(mux)
	mux.HandleFunc("GET /api/openapi.json", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, static, "static/openapi.json")
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if part := s.notReady(r.Context()); part != "" {
			http.Error(w, part+" does not answer", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "ready\n")
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		s.fail(w, r, &service.Error{Status: http.StatusNotFound, Code: "not_found", Message: "there is no " + r.Method + " " + r.URL.Path + "; /api/openapi.json lists what is there"})
	})
}

func page(name string) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		http.ServeFileFS(w, r, static, "static/"+name)
		return nil
	}
}

// keyOf returns the conversation of one person in the chat of a name.
func keyOf(chat string, person errand.PersonID) (errand.SessionKey, error) {
	route, err := service.WebRoute(chat)
	if err == nil && person == "" {
		err = badRequest("person", "everybody has a chat of their own; say whose")
	}
	return errand.NewSessionKey(route, person), err
}

// postReset begins a new session, with an agent if one is named.
func (s *Server) postReset(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Agent     string `json:"agent"`
		MessageID string `json:"message_id"` // with the same one it is done once
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.MessageID == "" {
		in.MessageID = errand.ShortID(16)
	}
	key, err := keyOf(r.PathValue("chat"), actor(r).Person)
	if err != nil {
		return err
	}
	id, err := s.Backend.NewSession(r.Context(), actor(r), key, errand.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))), in.MessageID)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"session_id": id})
}

// getMe tells who the request is, and which routes they may use.
func (s *Server) getMe(w http.ResponseWriter, r *http.Request) error {
	who := callerOf(r)
	may := []string{}
	for _, route := range append(s.api(), s.pages()...) {
		if s.Rights.May(who.Role, rights.Route, route.pattern) {
			may = append(may, route.pattern)
		}
	}
	return reply(w, http.StatusOK, map[string]any{"id": who.Person, "name": who.Name, "role": who.Role,
		"role_name": s.Rights.Name(who.Role), "language": who.Language, "login": who.Login, "may": may})
}

// getAgents lists the agents that the person may talk with, and says which of
// them a chat is with, if one is named.
func (s *Server) getAgents(w http.ResponseWriter, r *http.Request) error {
	var key errand.SessionKey
	if chat := r.URL.Query().Get("chat"); chat != "" {
		var err error
		if key, err = keyOf(chat, actor(r).Person); err != nil {
			return err
		}
	}
	list, err := s.Backend.AgentsFor(r.Context(), actor(r), key)
	return replyList(w, list, err)
}

func (s *Server) getAbout(w http.ResponseWriter, r *http.Request) error {
	paused, err := s.Backend.Paused(r.Context())
	if err != nil {
		return err
	}
	type role struct {
		Role errand.Role `json:"role"`
		Name string      `json:"name"` // what this installation calls it
	}
	var roles []role
	for _, r := range errand.Roles() {
		roles = append(roles, role{r, s.Rights.Name(r)})
	}
	out := map[string]any{"version": s.Version, "demo": s.Demo, "web_ui": "", "paused": paused, "roles": roles,
		"models": s.Backend.ModelStates(actor(r))}
	if actor(r).Role.Includes(errand.MasterAdmin) {
		out["web_ui"] = s.webUI(r) // it shows and changes everybody's
	}
	return reply(w, http.StatusOK, out)
}

// postModelsCheck calls every model once.
func (s *Server) postModelsCheck(w http.ResponseWriter, r *http.Request) error {
	list, err := s.Backend.CheckModels(r.Context(), actor(r))
	return replyList(w, list, err)
}

func (s *Server) postPause(w http.ResponseWriter, r *http.Request) error {
	if err := s.Backend.Pause(r.Context(), actor(r).Person); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"paused": true})
}

func (s *Server) postResume(w http.ResponseWriter, r *http.Request) error {
	if err := s.Backend.Resume(r.Context()); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"paused": false})
}
