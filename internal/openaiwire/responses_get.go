package openaiwire

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

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

// errAnswered ends a reading.
var errAnswered = errors.New("answered")

// follow reads on from the message until it is answered, and hands on what is told to pieces.
func (s *Server) follow(ctx context.Context, q *request, k storedResponse, p *pieces) (e errand.Event, err error) {
	err = s.Backend.Follow(ctx, q.by, k.key, service.Reading{After: k.event}, func(next errand.Event) error {
		if err := p.take(next); err != nil || next.ID == 0 {
			return err
		}
		answers, err := s.Backend.Answers(ctx, q.by, next, k.key, k.message)
		if err == nil && answers {
			e, err = next, errAnswered
		}
		return err
	})
	if errors.Is(err, errAnswered) {
		err = nil
	}
	return e, err
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

// getResponse reads a response again, or streams what a client has not had of it.
func (s *Server) getResponse(q *request) error {
	k, err := s.findResponse(q)
	if err != nil {
		return err
	}
	query := q.URL.Query()
	if query.Get("stream") != "true" {
		r, err := s.now(q, k)
		if err != nil {
			return err
		}
		return q.reply(r)
	}
	out := newResponseStream(s.Logger, q, s.Beat, k.response)
	defer out.end()
	if text := query.Get("starting_after"); text != "" {
		if out.after, err = strconv.Atoi(text); err != nil || out.after < 0 {
			return invalid("starting_after", "starting_after is the number of an event: its sequence_number")
		}
	}
	ctx, cancel := context.WithTimeout(q.stopping, s.Wait)
	defer cancel()
	if err := out.accepted(k.response.ID); err != nil {
		return err
	}
	if err := out.piece(k.late); err != nil {
		return err
	}
	p := &pieces{to: out.piece}
	e, err := s.follow(ctx, q, k, p)
	if err != nil {
		return s.broken(q, out, err)
	}
	r, err := s.answered(q, k, e, p)
	if err != nil {
		return s.broken(q, out, err)
	}
	switch r.Status {
	case "failed", "cancelled":
		out.ending()
		return out.event("response."+r.Status, map[string]any{"response": r})
	}
	text, _, err := s.textOf(ctx, q, k.key, e)
	if err != nil {
		return s.broken(q, out, err)
	}
	if err := p.end(text); err != nil {
		return err
	}
	return out.done(r)
}

const cancelWithin = 10 * time.Second

// postCancel stops the turn of a response that is in progress. What has ended stays as it is.
func (s *Server) postCancel(q *request) error {
	k, err := s.findResponse(q)
	if err != nil {
		return err
	}
	r, err := s.now(q, k)
	if err != nil {
		return err
	}
	if r.Status != "in_progress" {
		return q.reply(r)
	}
	if _, err := s.Backend.Stop(q.Context(), q.by, k.key, false); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(q.stopping, cancelWithin)
	defer cancel()
	p := &pieces{to: whole{}.piece}
	e, err := s.follow(ctx, q, k, p)
	switch {
	case err == nil:
		if r, err = s.answered(q, k, e, p); err != nil {
			return err
		}
		return q.reply(r)
	case errors.Is(err, context.DeadlineExceeded):
		return &wireError{http.StatusConflict, "invalid_request_error", "not_cancelled", "", "the response is not under way yet, or does not end; look again in a moment"}
	}
	return err
}
