package openaiwire

import (
	"cmp"

	"errand"
	"errand/internal/service"
)

// A storedResponse is one that was asked for before: what its id leads to.
type storedResponse struct {
	key      errand.SessionKey
	event    int64  // of its message
	message  string // the id of that
	response response
	late     string // what stands before the reply
}

func (s *Server) findResponse(q *request) (storedResponse, error) {
	id := q.PathValue("id")
	chat, event, err := parseResponseID(id)
	if err != nil {
		return storedResponse{}, err
	}
	route, err := service.WebRoute(chat)
	if err != nil {
		return storedResponse{}, noResponse(id)
	}
	k := storedResponse{key: errand.NewSessionKey(route, q.by.Person), event: event, response: responseIn{}.newResponse()}
	list, err := s.Backend.Events(q.Context(), q.by, k.key, event-1, 1)
	if err != nil {
		return storedResponse{}, err
	}
	if len(list) == 0 || list[0].ID != event || list[0].Type != errand.EventMessage {
		return storedResponse{}, noResponse(id)
	}
	k.message, k.response.ID, k.response.Created = list[0].Message, id, list[0].Created.Unix()
	k.late, err = s.lateBefore(q.Context(), q.by, k.key, event)
	return k, err
}

func (s *Server) now(q *request, k storedResponse) (response, error) {
	p := &pieces{to: whole{}.piece}
	for after := k.event; ; {
		list, err := s.Backend.Events(q.Context(), q.by, k.key, after, 100)
		if err != nil || len(list) == 0 {
			return k.response, err // it is in progress
		}
		for _, e := range list {
			if err := p.take(e); err != nil {
				return k.response, err
			}
			answers, err := s.Backend.Answers(q.Context(), q.by, e, k.key, k.message)
			if err != nil {
				return k.response, err
			}
			if answers {
				return s.answered(q, k, e, p)
			}
		}
		after = list[len(list)-1].ID
	}
}

func (s *Server) answered(q *request, k storedResponse, e errand.Event, p *pieces) (response, error) {
	r := k.response
	r.Model = string(e.Agent)
	switch e.Type {
	case errand.EventReply, errand.EventQuestion:
		text, calls, err := s.textOf(q.Context(), q, k.key, e)
		if err != nil {
			return r, err
		}
		return r.ended(reply{id: r.ID, event: e, late: k.late, text: text + p.meanwhile, calls: calls, reason: cmp.Or(e.Cause, "stop"), usage: s.usageOf(q.Context(), q, e)}), nil
	case errand.EventNotice:
		r.Status = "cancelled"
	default:
		r.Status, r.Error = "failed", map[string]string{"code": "no_reply", "message": e.Text}
	}
	return r, nil
}

// getResponse reads a response again.
func (s *Server) getResponse(q *request) error {
	if q.URL.Query().Get("stream") == "true" {
		return invalid("stream", "errand does not stream a stored response: leave stream out")
	}
	k, err := s.findResponse(q)
	if err != nil {
		return err
	}
	r, err := s.now(q, k)
	if err != nil {
		return err
	}
	return q.reply(r)
}
