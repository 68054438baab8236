package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"errand"
	"errand/internal/gateway"
	"errand/internal/service"
)

// postMessage accepts a message and waits for its reply. What the answer tells
// is read from the event log: the message has an event there, and its reply
// comes after it.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Text      string `json:"text"`
		MessageID string `json:"message_id"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	by := actor(r)
	route, err := service.WebRoute(r.PathValue("chat"))
	if err != nil {
		return err
	}
	key := errand.NewSessionKey(route, by.Person)
	events, cancel := s.Backend.Subscribe(key)
	defer cancel()
	got, err := s.Backend.Accept(r.Context(), gateway.Inbound{
		Route: route, Person: by.Person, Role: by.Role, MessageID: in.MessageID, Text: in.Text})
	if err != nil {
		return err
	}
	streams := strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	waits := r.URL.Query().Get("wait") != "false"
	notice := errand.Event{Type: errand.EventNotice, Text: got.Answer, Created: time.Now()}
	switch {
	case got.Answer != "" && streams && !got.Goes:
		return newStream(w).send(notice)
	case got.Answer != "" && !streams && !(got.Goes && waits):
		return reply(w, http.StatusOK, map[string]any{"reply": map[string]any{"agent": "", "text": got.Answer}, "command": true})
	case !waits:
		return reply(w, http.StatusAccepted, map[string]any{"accepted": true, "message_id": got.MessageID, "duplicate": got.Duplicate})
	}
	ctx, stop := context.WithTimeout(r.Context(), s.ReplyTimeout)
	defer stop()
	tell, out := func(errand.Event) error { return nil }, (*stream)(nil)
	if streams {
		out = newStream(w)
		tell = out.send
		if got.Answer != "" { // of a command with a message behind it, whose reply comes
			if err := out.send(notice); err != nil {
				return err
			}
		}
	}
	tasks := []errand.TaskID{}
	answer, err := s.follow(ctx, key, got.MessageID, events, func() bool { return s.still(r) }, func(e errand.Event) error {
		if e.Type == errand.EventTask && e.State == errand.Submitted {
			tasks = append(tasks, e.Task)
		}
		return tell(e)
	})
	switch {
	case r.Context().Err() != nil:
		return nil // the client is gone
	case streams && err != nil:
		return out.send(errand.Event{Type: errand.EventNotice, Text: "Accepted; there is no reply yet. It will be in the log.", Created: time.Now()})
	case streams:
		return nil
	case err != nil:
		return reply(w, http.StatusAccepted, map[string]any{"accepted": true, "message_id": got.MessageID})
	case answer.Type != errand.EventReply && answer.Type != errand.EventQuestion:
		return reply(w, http.StatusOK, map[string]any{"error": map[string]any{"code": "no_reply", "message": answer.Text},
			"session_id": answer.Session, "turn": answer.Turn, "tasks": tasks})
	}
	said := map[string]any{"agent": answer.Agent, "text": answer.Text}
	if len(answer.Options) > 0 {
		said["options"] = answer.Options
	}
	return reply(w, http.StatusOK, map[string]any{"reply": said,
		"session_id": answer.Session, "turn": answer.Turn, "tasks": tasks})
}

// follow tells the events after message id until its reply, and returns that.
// Durable events are read from the log, so that none is missed or told twice;
// the subscription says when to look, and carries the passing ones. It ends when
// whoever waits may not read it any more.
func (s *Server) follow(ctx context.Context, key errand.SessionKey, id string, events <-chan errand.Event, may func() bool, tell func(errand.Event) error) (errand.Event, error) {
	last, err := s.Backend.MessageEvent(ctx, key, id)
	if err != nil {
		return errand.Event{}, err
	}
	poll := time.NewTicker(s.Poll)
	defer poll.Stop()
	looked := time.Now()
	for {
		batch, err := s.Backend.Events(ctx, key, last, history)
		if err != nil {
			return errand.Event{}, err
		}
		if since := time.Since(looked); since > s.Beat || len(batch) > 0 && since > stale {
			if looked = time.Now(); !may() {
				return errand.Event{}, unauthorized("logged out meanwhile")
			}
		}
		for _, e := range batch {
			last = e.ID
			if e.Type == errand.EventMessage {
				continue
			}
			if err := tell(e); err != nil {
				return e, err
			}
			if answers, err := s.Backend.Answers(ctx, e, key, id); err != nil || answers {
				return e, err
			}
		}
		if len(batch) < history {
			if err := s.wait(ctx, events, poll, tell); err != nil {
				return errand.Event{}, err
			}
		}
	}
}

// wait returns when the log may have grown. Passing events are told at once.
func (s *Server) wait(ctx context.Context, events <-chan errand.Event, poll *time.Ticker, tell func(errand.Event) error) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.done:
			return http.ErrServerClosed
		case <-poll.C:
			return nil
		case e := <-events:
			switch e.Type {
			case errand.EventDelta, errand.EventReset, errand.EventStep:
				if err := tell(e); err != nil {
					return err
				}
			default: // a durable event, or word that some were missed
				return nil
			}
		}
	}
}
