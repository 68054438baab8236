package web

import (
	"math"
	"net/http"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

const latestQuestions = 200

// An openingOut is what a page begins with that shows a chat. What somebody may not read
// by itself is not in it.
type openingOut struct {
	Me     meOut               `json:"me"`
	About  aboutOut            `json:"about"`
	Events []errand.Event      `json:"events" description:"the latest 200 of the log, oldest first"`
	Agents []service.AgentView `json:"agents" description:"who may be talked with, and which of them the chat is with"`
	Chats  []service.Chat      `json:"chats" description:"the latest 200, as GET /api/chats lists them"`
	// Two lists, as a question that has waited for long may be none of the latest.
	Waiting   []questionView   `json:"waiting" description:"questions of the chat that wait for an answer"`
	Questions []questionView   `json:"questions" description:"the latest 200 of the chat, those that are over too"`
	Session   *service.Session `json:"session,omitempty" description:"the session of the chat that was active last"`
}

// getOpening reads in one answer what a page would ask for in nine. The events come first: of
// what happens meanwhile the stream after them tells, and the rest is as new at least.
func (s *Server) getOpening(r *http.Request, in inChat) (out openingOut, err error) {
	by := actor(r)
	key, err := keyOf(in.Chat, by.Person)
	if err != nil {
		return out, err
	}
	if out.Events, err = s.Backend.EventsBefore(r.Context(), by, key, math.MaxInt64, history); err != nil {
		return out, err
	}
	if out.Me, err = s.getMe(r, nothing{}); err != nil {
		return out, err
	}
	questions := func(all bool) (list []questionView, err error) {
		list, _, err = s.getQuestions(r, questionsIn{Chat: in.Chat, All: all}, service.Page{Limit: latestQuestions})
		return list, err
	}
	for _, part := range []struct {
		pattern string
		read    func() error
	}{
		{"GET /api/about", func() (err error) { out.About, err = s.getAbout(r, nothing{}); return err }},
		{"GET /api/agents", func() (err error) { out.Agents, err = s.Backend.AgentsFor(r.Context(), by, key); return err }},
		{"GET /api/chats", func() (err error) {
			out.Chats, err = s.Backend.Chats(r.Context(), by, service.Page{Limit: history})
			return err
		}},
		{"GET /api/questions", func() (err error) { out.Waiting, err = questions(false); return err }},
		{"GET /api/questions", func() (err error) { out.Questions, err = questions(true); return err }},
		{"GET /api/sessions", func() error {
			found, err := s.Backend.Sessions(r.Context(), by, service.SessionFilter{Key: key, Limit: 1})
			if len(found) > 0 {
				out.Session = &found[0]
			}
			return err
		}},
	} {
		if s.Backend.MayUse(by, rights.Route, part.pattern) != nil {
			continue
		}
		if err := part.read(); err != nil {
			return out, err
		}
	}
	out.Events, out.Agents, out.Chats = orEmpty(out.Events), orEmpty(out.Agents), orEmpty(out.Chats)
	out.Waiting, out.Questions = orEmpty(out.Waiting), orEmpty(out.Questions)
	return out, nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
