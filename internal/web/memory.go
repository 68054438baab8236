package web

import (
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

func (s *Server) getMemory(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	agent, err := words(q.Get("agent"), "agent", 60)
	if err != nil {
		return err
	}
	prefix, err := words(q.Get("prefix"), "prefix", 200)
	if err != nil {
		return err
	}
	limit, err := number(q, "limit", 1000, 1000)
	if err != nil {
		return err
	}
	list, err := s.Backend.Notes(r.Context(), actor(r), service.NoteFilter{
		Person: errand.PersonID(q.Get("person")), Agent: errand.AgentName(strings.ToLower(agent)), Prefix: prefix, Limit: limit})
	return replyList(w, list, err)
}

// deleteNote has a note forgotten. A key is one part of the path, escaped: it
// may have slashes.
func (s *Server) deleteNote(w http.ResponseWriter, r *http.Request) error {
	agent, key := strings.ToLower(r.PathValue("agent")), r.PathValue("key")
	person := errand.PersonID(r.URL.Query().Get("person"))
	if err := s.Backend.ForgetNote(r.Context(), actor(r), person, errand.AgentName(agent), key); err != nil {
		return err
	}
	return reply(w, http.StatusOK, map[string]any{"agent": agent, "key": key})
}
