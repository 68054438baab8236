package web

import (
	"net/http"
)

func (s *Server) getReminders(w http.ResponseWriter, r *http.Request) error {
	all, err := flag(r.URL.Query(), "all")
	if err != nil {
		return err
	}
	list, err := s.Backend.Reminders(r.Context(), actor(r), all)
	return replyList(w, list, err)
}

func (s *Server) postReminder(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Chat string `json:"chat"`
		When string `json:"when"`
		Text string `json:"text"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if in.Chat == "" {
		in.Chat = "main"
	}
	key, err := keyOf(in.Chat, actor(r).Person)
	if err != nil {
		return err
	}
	reminder, err := s.Backend.Remind(r.Context(), actor(r), key, in.When, in.Text)
	if err != nil {
		return err
	}
	return reply(w, http.StatusCreated, reminder)
}

func (s *Server) deleteReminder(w http.ResponseWriter, r *http.Request) error {
	id, err := idOf(r, "reminder")
	if err != nil {
		return err
	}
	reminder, err := s.Backend.CancelReminder(r.Context(), actor(r), id)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, reminder)
}
