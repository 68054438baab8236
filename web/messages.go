package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"errand"
)

type messageRequest struct {
	Text      string `json:"text"`
	MessageID string `json:"message_id"`
}

type replyText struct {
	Agent errand.AgentName `json:"agent"`
	Text  string           `json:"text"`
}

type replyResponse struct {
	Reply     replyText        `json:"reply"`
	Error     bool             `json:"failed,omitempty"` // Reply says why there is none
	Session   errand.SessionID `json:"session_id"`
	Turn      int              `json:"turn"`
	MessageID string           `json:"message_id"`
	Tasks     []taskJSON       `json:"tasks"` // that the turn began or changed
}

type acceptedResponse struct {
	Accepted  bool       `json:"accepted"`
	MessageID string     `json:"message_id"`
	Duplicate bool       `json:"duplicate,omitempty"`
	Reply     *replyText `json:"reply,omitempty"` // of a command
}

// postMessage accepts a message and, unless told not to, waits for its reply.
func (s *Server) postMessage(w http.ResponseWriter, r *http.Request) error {
	var in messageRequest
	if err := read(w, r, &in); err != nil {
		return err
	}
	if strings.TrimSpace(in.Text) == "" {
		return badRequest("empty", "the message is empty")
	}
	chat := r.PathValue("chat")
	key, err := s.Backend.Key(r.Context(), chat)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("wait") == "false" {
		accepted, err := s.Backend.Send(r.Context(), chat, in.Text, in.MessageID)
		if err != nil {
			return err
		}
		write(w, http.StatusAccepted, acceptance(accepted))
		return nil
	}

	// Subscribed and with a place in the log before the message is sent: its
	// reply cannot come too early.
	latest, err := s.Backend.LastEvents(r.Context(), key, 1)
	if err != nil {
		return err
	}
	var after int64
	if len(latest) > 0 {
		after = latest[0].ID
	}
	feed := s.follow(key, after)
	defer feed.close()
	accepted, err := s.Backend.Send(r.Context(), chat, in.Text, in.MessageID)
	if err != nil {
		return err
	}
	ctx, cancel := s.untilClosing(r)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, s.ReplyTimeout)
	defer cancel()
	if accepted.Duplicate && accepted.Answer == "" {
		if feed.last, err = s.beforeMessage(ctx, key, accepted.MessageID); err != nil {
			return err
		}
		feed.unread = true
	}
	if strings.Contains(r.Header.Get("Accept"), "text/event-stream") {
		s.streamReply(ctx, w, feed, accepted)
		return nil
	}
	return s.waitForReply(ctx, w, feed, accepted)
}

func acceptance(a Accepted) acceptedResponse {
	out := acceptedResponse{Accepted: true, MessageID: a.MessageID, Duplicate: a.Duplicate}
	if a.Answer != "" {
		out.Reply = &replyText{Text: a.Answer}
	}
	return out
}

// waitForReply answers with the reply as one JSON object. If it does not come
// in time, the message is accepted all the same: 202.
func (s *Server) waitForReply(ctx context.Context, w http.ResponseWriter, feed *feed, accepted Accepted) error {
	out := replyResponse{MessageID: accepted.MessageID, Tasks: []taskJSON{}}
	if accepted.Answer != "" {
		out.Reply.Text = accepted.Answer
		write(w, http.StatusOK, out)
		return nil
	}
	turn := answered{message: accepted.MessageID}
	for {
		events, err := feed.next(ctx, nil)
		if err != nil {
			if ctx.Err() == nil && !errors.Is(err, errFeedEnded) {
				s.Logger.Warn("wait for reply ended", "error", err)
			}
			write(w, http.StatusAccepted, acceptance(accepted))
			return nil
		}
		for _, e := range events {
			if !turn.take(e) {
				continue
			}
			out.Reply = replyText{e.Agent, e.Text}
			out.Error, out.Session, out.Turn = e.Type == errand.EventError, e.Session, e.Turn
			out.Tasks = s.tasksOf(ctx, turn.tasks)
			write(w, http.StatusOK, out)
			return nil
		}
	}
}

// streamReply answers with all that happens until the reply.
func (s *Server) streamReply(ctx context.Context, w http.ResponseWriter, feed *feed, accepted Accepted) {
	out := newStream(w)
	if accepted.Answer != "" {
		out.send(errand.Event{Type: errand.EventReply, Text: accepted.Answer, Created: time.Now()})
		return
	}
	idle := time.NewTicker(s.Heartbeat)
	defer idle.Stop()
	turn := answered{message: accepted.MessageID}
	for {
		events, err := feed.next(ctx, idle.C)
		if err != nil {
			out.send(errand.Event{Type: errand.EventNotice, Created: time.Now(),
				Text: "Accepted, and no reply yet. It will be among the events of this chat.", Message: accepted.MessageID})
			return
		}
		if len(events) == 0 && out.beat() != nil {
			return
		}
		for _, e := range events {
			last := turn.take(e)
			if !turn.found && e.ID != 0 || e.Type == errand.EventMessage {
				continue
			}
			if out.send(e) != nil || last {
				return
			}
		}
	}
}

func (s *Server) tasksOf(ctx context.Context, ids []errand.TaskID) []taskJSON {
	out := []taskJSON{}
	for _, id := range ids {
		task, err := s.Backend.Task(ctx, string(id))
		if err != nil {
			s.Logger.Warn("task of a reply not found", "task", id, "error", err)
			continue
		}
		out = append(out, taskOut(task))
	}
	return out
}
