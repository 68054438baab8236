package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

type GetChatWorkInput struct {
	ChatName
}

// A ChatWork has the files and the reminders of a chat, each only if the caller may read them.
type ChatWork struct {
	Session   core.SessionID  `json:"session_id,omitempty" description:"session id, for {of} in GET /api/files/{of}/content; empty if the chat has not begun or you may not list files"`
	Kept      []core.File     `json:"kept" description:"the files that its agents keep, ordered by path; at most 200"`
	Sent      []core.Artifact `json:"sent" description:"the files that you sent, the latest first; at most 200"`
	Reminders []core.Reminder `json:"reminders" description:"its coming reminders, the next first; at most 100"`
}

var GetChatWork = Op[GetChatWorkInput, ChatWork]{
	Name: "getChatWork", Needs: rights.SessionsRead, Route: "GET /api/sessions/{chat}/work",
	About: "Read the files and the reminders of a chat", Answer: "its files and reminders",
}
