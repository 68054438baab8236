package web

import (
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

// filter reads which sessions a request is about.
func (s *Server) filter(r *http.Request) (service.SessionFilter, error) {
	q := r.URL.Query()
	var f service.SessionFilter
	states, err := oneOf(q, "state", "active", "suspended", "ended")
	if err != nil {
		return f, err
	}
	if len(states) > 1 {
		return f, badRequest("state", "one state at a time")
	}
	if len(states) == 1 {
		f.State = states[0]
	}
	if f.Limit, err = number(q, "limit", 100, 1000); err != nil {
		return f, err
	}
	if f.Before, err = moment(q, "before"); err != nil {
		return f, err
	}
	if f.Channel, err = words(q.Get("channel"), "channel", 60); err != nil {
		return f, err
	}
	agent, err := words(q.Get("agent"), "agent", 60)
	if err != nil {
		return f, err
	}
	f.Agent = errand.AgentName(strings.ToLower(agent))
	// The backend finds out whose they see.
	f.Person = errand.PersonID(q.Get("person"))
	return f, nil
}

func (s *Server) getSessions(w http.ResponseWriter, r *http.Request) error {
	f, err := s.filter(r)
	if err != nil {
		return err
	}
	list, err := s.Backend.Sessions(r.Context(), actor(r), f)
	return replyList(w, list, err)
}

func (s *Server) getSearch(w http.ResponseWriter, r *http.Request) error {
	text, err := words(r.URL.Query().Get("q"), "q", 200)
	if err == nil && text == "" {
		err = badRequest("q", "say what to look for: ?q=")
	}
	if err != nil {
		return err
	}
	limit, err := number(r.URL.Query(), "limit", 50, 200)
	if err != nil {
		return err
	}
	list, err := s.Backend.Search(r.Context(), actor(r), text,
		service.SessionFilter{Person: errand.PersonID(r.URL.Query().Get("person")), Limit: limit})
	return replyList(w, list, err)
}
