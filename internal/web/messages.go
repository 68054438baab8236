package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"errand"
	"errand/internal/intake"
	"errand/internal/service"
)

type messageIn struct {
	inChat
	Wait string `query:"wait" description:"false: answer as soon as the message is durably accepted"`
	Body struct {
		Text      string `json:"text" required:"true"`
		MessageID string `json:"message_id" description:"sent again with the same id, a message is accepted once"`
	}
}

// A messageReply is what came of a message: a reply, of an agent or to a command, or
// why there is none.
type messageReply struct {
	Command bool              `json:"command,omitempty" description:"a command was answered; no agent saw it"`
	Error   *problemError     `json:"error,omitempty" description:"why there is no reply"`
	Reply   *replyText        `json:"reply,omitempty"`
	Session *errand.SessionID `json:"session_id,omitempty"`
	Tasks   []errand.TaskID   `json:"tasks,omitzero" description:"that were delegated on the way"`
	Turn    *int              `json:"turn,omitempty"`
}

type replyText struct {
	Agent   errand.AgentName `json:"agent"`
	Options []string         `json:"options,omitempty" description:"what a question offers as answers; others are taken too"`
	Text    string           `json:"text"`
}

type messageAccepted struct {
	Accepted  bool   `json:"accepted"`
	Duplicate *bool  `json:"duplicate,omitempty"`
	MessageID string `json:"message_id"`
}

// postMessage accepts a message and waits for its reply. What the answer tells
// is read from the event log: the message has an event there, and its reply
// comes after it.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, in messageIn) error {
	by := actor(r)
	route, err := service.WebRoute(in.Chat)
	if err != nil {
		return err
	}
	key := errand.NewSessionKey(route, by.Person)
	events, cancel, err := s.Backend.Subscribe(r.Context(), by, key)
	if err != nil {
		return err
	}
	defer cancel()
	got, err := s.Backend.Accept(r.Context(), intake.Inbound{
		Route: route, Person: by.Person, Role: by.Role, MessageID: in.Body.MessageID, Text: in.Body.Text})
	if err != nil {
		return err
	}
	streams := strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	waits := in.Wait != "false"
	notice := errand.Event{Type: errand.EventNotice, Text: got.Answer, Created: time.Now()}
	switch {
	case got.Answer != "" && streams && !got.Goes:
		return newStream(w).send(notice)
	case got.Answer != "" && !streams && !(got.Goes && waits):
		return reply(w, http.StatusOK, messageReply{Command: true, Reply: &replyText{Text: got.Answer}})
	case !waits:
		return reply(w, http.StatusAccepted, messageAccepted{Accepted: true, Duplicate: &got.Duplicate, MessageID: got.MessageID})
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
	result := messageReply{Tasks: []errand.TaskID{}}
	answer, err := s.follow(ctx, by, key, got.MessageID, events, func() bool { return s.still(r) }, func(e errand.Event) error {
		if e.Type == errand.EventTask && e.State == errand.Submitted {
			result.Tasks = append(result.Tasks, e.Task)
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
		return reply(w, http.StatusAccepted, messageAccepted{Accepted: true, MessageID: got.MessageID})
	}
	result.Session, result.Turn = &answer.Session, &answer.Turn
	if answer.Type == errand.EventReply || answer.Type == errand.EventQuestion {
		result.Reply = &replyText{answer.Agent, answer.Options, answer.Text}
	} else {
		result.Error = &problemError{"no_reply", answer.Text}
	}
	return reply(w, http.StatusOK, result)
}

// follow tells the events after message id until its reply, and returns that.
// Durable events are read from the log, so that none is missed or told twice;
// the subscription says when to look, and carries the passing ones. It ends when
// whoever waits may not read it any more.
func (s *Server) follow(ctx context.Context, by service.Actor, key errand.SessionKey, id string, events <-chan errand.Event, may func() bool, tell func(errand.Event) error) (errand.Event, error) {
	last, err := s.Backend.MessageEvent(ctx, by, key, id)
	if err != nil {
		return errand.Event{}, err
	}
	poll := time.NewTicker(s.Poll)
	defer poll.Stop()
	looked := time.Now()
	for {
		batch, err := s.Backend.Events(ctx, by, key, last, history)
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
			if answers, err := s.Backend.Answers(ctx, by, e, key, id); err != nil || answers {
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
