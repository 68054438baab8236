package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
)

type messageIn struct {
	inChat
	Wait string `query:"wait" description:"false: answer as soon as the message is durably accepted"`
	Body struct {
		Text      string     `json:"text" description:"may be empty where there are files"`
		MessageID string     `json:"message_id" description:"sent again with the same id, a message is accepted once"`
		Files     []fileSent `json:"files,omitempty" description:"that the message brings, 10 at most: pictures, which a model with vision sees, and others, which agents read if they are text"`
	}
}

// A fileSent is a file of a message.
type fileSent struct {
	Name string `json:"name" required:"true"`
	Data []byte `json:"data" required:"true" description:"in base64"`
}

// maxFiles is the largest body of a message with files, in bytes: base64 of as much as a
// file may have, and words.
const maxFiles = maxFile/3*4 + maxBody

func (messageIn) maxBody() int64 { return maxFiles }

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

func (in messageIn) message() service.Message {
	m := service.Message{ID: in.Body.MessageID, Text: in.Body.Text}
	for _, f := range in.Body.Files {
		m.Files = append(m.Files, service.SentFile(f))
	}
	return m
}

// postMessage accepts a message and waits for its reply.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request, in messageIn) error {
	by := actor(r)
	route, err := service.WebRoute(in.Chat)
	if err != nil {
		return err
	}
	if n := len(in.Body.Files); n > service.MaxMessageFiles {
		return service.Refuse(service.KindTooLarge, "too_many_files", "refusal.files_many", "most", service.MaxMessageFiles, "files", n)
	}
	got, err := s.Backend.Converse(r.Context(), by, route, in.message())
	if err != nil {
		return err
	}
	defer got.Close()
	bodyDone(r) // the reply may take minutes
	streams := strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	waits := in.Wait != "false"
	notice := errand.Event{Type: errand.EventNotice, Text: got.Answer, Created: time.Now()}
	switch {
	case got.Answer != "" && streams && !got.HasMessage:
		return newStream(w).send(notice)
	case got.Answer != "" && !streams && !(got.HasMessage && waits):
		return reply(w, http.StatusOK, messageReply{Command: true, Reply: &replyText{Text: got.Answer}})
	case !waits:
		return reply(w, http.StatusAccepted, messageAccepted{Accepted: true, Duplicate: &got.Duplicate, MessageID: got.MessageID})
	}
	ctx, cancel := s.untilEnd(r.Context())
	defer cancel()
	ctx, stop := context.WithTimeout(ctx, s.ReplyTimeout)
	defer stop()
	publish, out := func(errand.Event) error { return nil }, (*stream)(nil)
	if streams {
		out = newStream(w)
		publish = out.send
		if got.Answer != "" { // of a command with a message behind it, whose reply comes
			if err := out.send(notice); err != nil {
				return err
			}
		}
	}
	result := messageReply{Tasks: []errand.TaskID{}}
	may := s.mayReadOn(r)
	answer, err := got.Reply(ctx, may, func(e errand.Event) error {
		if e.ID == 0 && may(1) != nil {
			return errGone
		}
		if e.Type == errand.EventTask && e.State == errand.Submitted {
			result.Tasks = append(result.Tasks, e.Task)
		}
		return publish(e)
	})
	var refused *service.Error
	withdrawn := errors.As(err, &refused) && refused.Code == service.CodeWithdrawn
	switch {
	case r.Context().Err() != nil:
		return nil // the client is gone
	case streams && withdrawn:
		return out.send(errand.Event{Type: errand.EventNotice, Text: refused.Text(s.textsFor(r)), Created: time.Now()})
	case withdrawn:
		return refused
	case streams && err != nil:
		return out.send(errand.Event{Type: errand.EventNotice, Text: s.textsFor(r).Localize("message.no_reply_yet"), Created: time.Now()})
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
