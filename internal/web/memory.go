package web

import (
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

type memoryIn struct {
	Agent  string `query:"agent" maxLength:"60" description:"of one agent"`
	Prefix string `query:"prefix" maxLength:"200" description:"of the key"`
	ofPerson
	inPage
	Limit int `query:"limit" default:"1000" maximum:"1000" description:"at most so many, 1000 by default"`
}

func (s *Server) getMemory(r *http.Request, in memoryIn, p service.Page) ([]service.Note, error) {
	return s.Backend.Notes(r.Context(), actor(r), service.NoteFilter{
		Person: in.Person, Agent: errand.AgentName(strings.ToLower(in.Agent)), Prefix: in.Prefix, After: p.After, Limit: p.Limit})
}

type noteIn struct {
	Agent  string          `path:"agent" description:"whose note it is"`
	Key    string          `path:"key" description:"its key, escaped"`
	Person errand.PersonID `query:"person" description:"about whom, for a master_admin"`
}

type noteOut struct {
	Agent string `json:"agent"`
	Key   string `json:"key"`
}

// deleteNote has a note forgotten. A key is one part of the path, escaped: it
// may have slashes.
func (s *Server) deleteNote(r *http.Request, in noteIn) (noteOut, error) {
	out := noteOut{strings.ToLower(in.Agent), in.Key}
	return out, s.Backend.ForgetNote(r.Context(), actor(r), in.Person, errand.AgentName(out.Agent), in.Key)
}
