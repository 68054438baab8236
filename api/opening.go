package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type OpenChatInput struct {
	ChatName
	Login string `wire:"-"` // what identifies the caller: token or cookie
}

// An Opening is the data that a page needs to show a chat.
type Opening struct {
	Me     Me           `json:"me"`
	About  About        `json:"about"`
	Events []core.Event `json:"events" description:"the latest 200 of the log, oldest first"`
	Agents []Agent      `json:"agents" description:"the agents that you may talk with; one of them is active"`
	Chats  []core.Chat  `json:"chats" description:"the latest 200, as GET /api/chats lists them"`
	// There are two lists, because the latest questions may not include one that has waited for
	// long.
	Waiting   []Question    `json:"waiting" description:"questions of the chat that wait for an answer"`
	Questions []Question    `json:"questions" description:"the latest 200 questions of the chat, including closed ones"`
	Session   *core.Session `json:"session,omitempty" description:"the session of the chat that was active last"`
}

// OpenChat leaves out the parts whose operations the caller may not use.
var OpenChat = Op[OpenChatInput, Opening]{
	Name: "openChat", Needs: rights.SessionsFollow, Route: "GET /api/sessions/{chat}/opening",
	About: "Get everything that a page needs to show one of your chats",
}
