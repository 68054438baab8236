package openaiwire

import (
	"cmp"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

type storedResponse struct {
	chat     string
	key      core.SessionKey
	event    int64  // of its message
	message  string // its id
	response response
	late     string // text before the reply
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
	k := storedResponse{chat: chat, key: core.NewSessionKey(route, q.by.Person), event: event, response: responseIn{}.newResponse()}
	list, err := s.events(q.Context(), q, chat, api.EventsInput{After: eventID(event - 1), Limit: 1})
	if err != nil {
		return storedResponse{}, err
	}
	if len(list) == 0 || list[0].ID != event || list[0].Type != core.EventMessage {
		return storedResponse{}, noResponse(id)
	}
	k.message, k.response.ID, k.response.Created = list[0].Message, id, list[0].Created.Unix()
	k.late, err = s.lateBefore(q.Context(), q, chat, event)
	return k, err
}

func (s *Server) now(q *request, k storedResponse) (response, error) {
	p := &pieces{to: whole{}.piece}
	e, err := ops.Do(q.Context(), s.Runner, api.GetReply, q.by, api.GetReplyInput{Chat: k.chat, Message: k.message, After: k.event, Event: p.take})
	if err != nil || e.ID == 0 {
		return k.response, err // the reply is not there yet
	}
	return s.answered(q, k, e, p)
}

func (s *Server) answered(q *request, k storedResponse, e core.Event, p *pieces) (response, error) {
	r := k.response
	r.Model = string(e.Agent)
	switch e.Type {
	case core.EventReply, core.EventQuestion:
		text, calls, err := s.textOf(q.Context(), q, k.key, e)
		if err != nil {
			return r, err
		}
		return r.ended(reply{id: r.ID, event: e, late: k.late, text: text + p.meanwhile, calls: calls, reason: cmp.Or(e.Cause, "stop"), usage: s.usageOf(q.Context(), q, e)}), nil
	case core.EventNotice:
		r.Status = "cancelled"
	default:
		r.Status, r.Error = "failed", map[string]string{"code": "no_reply", "message": e.Text}
	}
	return r, nil
}

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
