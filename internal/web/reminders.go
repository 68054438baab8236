package web

import (
	"net/http"

	"errand/internal/service"
)

type remindersIn struct {
	All bool `query:"all" description:"true: those that are over too"`
}

func (s *Server) getReminders(r *http.Request, in remindersIn) ([]service.Reminder, error) {
	return s.Backend.Reminders(r.Context(), actor(r), in.All)
}

type remindIn struct {
	Body struct {
		Chat string `json:"chat" description:"where it wakes the session; main by default"`
		When string `json:"when" required:"true" description:"\"tomorrow at nine\", \"every Monday 08:00 Europe/Oslo\""`
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
	return s.Backend.Remind(r.Context(), actor(r), key, in.Body.When, in.Body.Text)
}

type reminderIn struct {
	ID string `path:"id" id:"reminder" description:"reminder id, or its unique beginning"`
}

func (s *Server) deleteReminder(r *http.Request, in reminderIn) (service.Reminder, error) {
	return s.Backend.CancelReminder(r.Context(), actor(r), in.ID)
}
