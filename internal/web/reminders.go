package web

import (
	"net/http"

	"errand/internal/service"
	"errand/internal/texts"
)

type remindersIn struct {
	All bool `query:"all" description:"true: those that are over too"`
	inPage
	Limit int `query:"limit" default:"1000" maximum:"1000" description:"at most so many, 1000 by default"`
}

func (s *Server) getReminders(r *http.Request, in remindersIn, p service.Page) ([]service.Reminder, error) {
	list, err := s.Backend.Reminders(r.Context(), actor(r), in.All, p)
	for i := range list {
		list[i] = s.worded(r, list[i])
	}
	return list, err
}

type remindIn struct {
	Body struct {
		Chat string `json:"chat" description:"where it wakes the session; main by default"`
		When string `json:"when" required:"true" description:"\"tomorrow at 9\", \"every monday at 8:00\", an RFC 3339 time or an RRULE"`
		Text string `json:"text" required:"true"`
	}
}

func (s *Server) postReminder(r *http.Request, in remindIn) (service.Reminder, error) {
	if in.Body.Chat == "" {
		in.Body.Chat = "main"
	}
	key, err := keyOf(in.Body.Chat, actor(r).Person)
	if err != nil {
		return service.Reminder{}, err
	}
	out, err := s.Backend.Remind(r.Context(), actor(r), key, in.Body.When, in.Body.Text)
	return s.worded(r, out), err
}

type reminderIn struct {
	ID string `path:"id" id:"reminder" description:"reminder id, or its unique beginning"`
}

func (s *Server) deleteReminder(r *http.Request, in reminderIn) (service.Reminder, error) {
	out, err := s.Backend.CancelReminder(r.Context(), actor(r), in.ID)
	return s.worded(r, out), err
}

func (s *Server) worded(r *http.Request, out service.Reminder) service.Reminder {
	if phrases := s.textsFor(r); phrases.Language().Tag != texts.English {
		out.When = phrases.Schedule(out.Spec)
	}
	return out
}
