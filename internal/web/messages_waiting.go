package web

import (
	"net/http"

	"errand/internal/service"
)

func (s *Server) getWaiting(r *http.Request, in inChat) ([]service.WaitingMessage, error) {
	route, err := service.WebRoute(in.Chat)
	if err != nil {
		return nil, err
	}
	return s.Backend.WaitingMessages(r.Context(), actor(r), route)
}

type inMessage struct {
	inChat
	Message string `path:"message" description:"message_id of the message"`
}

type messageEditIn struct {
	inMessage
	Body struct {
		Text string `json:"text" required:"true" description:"no command"`
	}
}

type messageChanged struct {
	MessageID string `json:"message_id"`
}

func (s *Server) putMessage(r *http.Request, in messageEditIn) (messageChanged, error) {
	route, err := service.WebRoute(in.Chat)
	if err != nil {
		return messageChanged{}, err
	}
	return messageChanged{in.Message}, s.Backend.EditMessage(r.Context(), actor(r), route, in.Message, in.Body.Text)
}

func (s *Server) deleteMessage(r *http.Request, in inMessage) (messageChanged, error) {
	route, err := service.WebRoute(in.Chat)
	if err != nil {
		return messageChanged{}, err
	}
	return messageChanged{in.Message}, s.Backend.WithdrawMessage(r.Context(), actor(r), route, in.Message)
}
