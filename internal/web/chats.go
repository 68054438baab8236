package web

import (
	"net/http"
	"strings"

	"errand"
	"errand/internal/service"
)

const longestName = 80 // characters

type chatsIn struct {
	inPage
	Limit int `query:"limit" default:"200" maximum:"1000" description:"at most so many, 200 by default"`
}

func (s *Server) getChats(r *http.Request, in chatsIn, p service.Page) ([]service.Chat, error) {
	return s.Backend.Chats(r.Context(), actor(r), p)
}

type chatIn struct {
	ID   errand.SessionID `path:"id" id:"session" description:"session_id of the chat"`
	Body struct {
		Name     *string `json:"name" description:"80 characters at most; empty: its first words again"`
		Pinned   *bool   `json:"pinned"`
		Archived *bool   `json:"archived"`
		Seen     *int64  `json:"seen" description:"id of the last event that was seen; an earlier one changes nothing"`
	}
}

type chatOut struct {
	Session errand.SessionID `json:"session_id"`
}

func (s *Server) postChat(r *http.Request, in chatIn) (chatOut, error) {
	to := service.ChatChange{Pinned: in.Body.Pinned, Archived: in.Body.Archived, Seen: in.Body.Seen}
	if in.Body.Name != nil {
		name, err := words(strings.Join(strings.Fields(*in.Body.Name), " "), "name", longestName)
		if err != nil {
			return chatOut{}, err
		}
		to.Name = &name
	}
	if to == (service.ChatChange{}) {
		return chatOut{}, badRequest("empty", "say what to change: name, pinned, archived or seen")
	}
	return chatOut{in.ID}, s.Backend.ChangeChat(r.Context(), actor(r), in.ID, to)
}
