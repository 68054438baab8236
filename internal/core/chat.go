package core

import "time"

// A Chat is one entry of a person's list of chats: all sessions on one route.
type Chat struct {
	Session  SessionID `json:"session_id" description:"the active session; use this id to change the chat"`
	Route    Route     `json:"route"`
	Agent    AgentName `json:"agent"`
	Title    string    `json:"title" description:"the name that the person or a model gave it, or else its first words; empty: none"`
	Named    bool      `json:"named" description:"true: the person named it"`
	Pinned   bool      `json:"pinned"`
	Archived bool      `json:"archived"`
	Active   time.Time `json:"active" description:"time of the last turn or message"`
	Unread   int       `json:"unread" description:"number of agents' messages since the person last saw the chat on the page, at most 99; 0 if the page has never shown it"`
	Waiting  int       `json:"waiting,omitempty" description:"number of open questions in the chat that you can answer"`
	Working  bool      `json:"working,omitempty" description:"true: a task of the chat is queued or at work"`
	News     News      `json:"news,omitzero" description:"the latest unread event that is not a reply: a late result, a reminder or a question"`
}

// News is the latest unread event that is not a reply. Its ID is 0 if there is no such event.
type News struct {
	ID   int64     `json:"id"`
	Type EventType `json:"type"`
}

// A ChatChange changes a chat in a person's list. Nil fields change nothing.
type ChatChange struct {
	Name     *string // empty: back to the title or the first words
	Pinned   *bool
	Archived *bool
	Seen     *int64 // id of the last event that the person has seen; an earlier id changes nothing
}
