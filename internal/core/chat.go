package core

import "time"

// A Chat is one entry of a person's list of chats: all sessions on one route.
type Chat struct {
	Session  SessionID `json:"session_id" description:"the one that is not over; what changes the chat names it by this"`
	Route    Route     `json:"route"`
	Agent    AgentName `json:"agent"`
	Title    string    `json:"title" description:"its name, or what a model has called it, or the first words that are left of it; empty where there are none"`
	Named    bool      `json:"named" description:"the person has named it"`
	Pinned   bool      `json:"pinned"`
	Archived bool      `json:"archived"`
	Active   time.Time `json:"active" description:"last turn or message"`
	Unread   int       `json:"unread" description:"what agents have said since the person has seen the chat on the page, at most 99; 0 for chats that the page has not shown"`
	News     News      `json:"news,omitzero" description:"the latest of it that is no answer: a late result, a reminder or a question"`
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
