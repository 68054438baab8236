package web

import (
	"cmp"
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

// A sessionState is what became of a session.
type sessionState string

type sessionsIn struct {
	ofPerson
	Chat    string       `query:"chat" description:"of one chat by page and API"`
	Channel string       `query:"channel" maxLength:"60" description:"of one channel"`
	Agent   string       `query:"agent" maxLength:"60" description:"of one agent"`
	State   sessionState `query:"state" description:"of one state"`
	inPage
	Before dateOrTime `query:"before" description:"last active before this time or date"`
	Limit  int        `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

func (s *Server) getSessions(r *http.Request, in sessionsIn, p service.Page) ([]service.Session, error) {
	var key errand.SessionKey
	if in.Chat != "" {
		var err error
		if key, err = keyOf(in.Chat, cmp.Or(in.Person, actor(r).Person)); err != nil {
			return nil, err
		}
	}
	// The backend finds out whose they see.
	return s.Backend.Sessions(r.Context(), actor(r), service.SessionFilter{Key: key, Person: in.Person, Channel: in.Channel,
		Agent: errand.AgentName(strings.ToLower(in.Agent)), State: string(in.State), Before: in.Before.Time, After: p.After, Limit: p.Limit})
}

type searchIn struct {
	Text string `query:"q" maxLength:"200" description:"words, all of them"`
	ofPerson
	Limit int `query:"limit" default:"50" maximum:"200" description:"at most so many, 50 by default, 200 at most"`
}

func (s *Server) getSearch(r *http.Request, in searchIn) ([]service.Hit, error) {
	if in.Text == "" {
		return nil, service.Invalid("q", "refusal.no_search")
	}
	return s.Backend.Search(r.Context(), actor(r), in.Text, service.SessionFilter{Person: in.Person, Limit: in.Limit})
}
