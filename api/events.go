package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// An EventID is the id of an event in a query, a number.
type EventID string

type EventsInput struct {
	ChatName
	LastEventID EventID       `header:"Last-Event-ID" minimum:"0" maximum:"9007199254740991" description:"id of the last event that you have seen; it takes precedence over after"`
	After       EventID       `query:"after" minimum:"0" maximum:"9007199254740991" description:"id of the last event that you have seen"`
	Before      EventID       `query:"before" minimum:"0" maximum:"9007199254740991" description:"instead of the stream: the latest events before the one with this id, as a JSON list, oldest first"`
	Limit       int           `query:"limit" default:"200" maximum:"1000" description:"maximum length of the list, 200 by default"`
	Person      core.PersonID `query:"person" description:"whose chat, for a partner or master_admin"`
}

const eventsAbout = "Stream the events of a chat (text/event-stream), from Last-Event-ID, ?after=, or the latest 200. With ?before= the answer is a list of earlier events."

// GetEvents sends the events of a chat as they come. It starts after LastEventID or After, or with
// the latest ones.
var GetEvents = Stream[EventsInput, core.Event]{
	Name: "getEvents", Needs: rights.SessionsFollow, Also: []string{rights.OthersRead}, Route: "GET /api/sessions/{chat}/events",
	About: eventsAbout, Answer: "events; an event in the log has an id",
}

// ListEvents returns at most Limit events of a chat in order: the latest before Before, or without
// Before the first after After.
var ListEvents = Op[EventsInput, []core.Event]{
	Name: "listEvents", Needs: rights.SessionsFollow, Also: []string{rights.OthersRead}, Route: GetEvents.Route,
	About: eventsAbout, Answer: "earlier events",
}

type MessageEventInput struct {
	Chat    string `wire:"-"`
	Message string `wire:"-"` // message id
}

// GetMessageEvent returns the id of a message's event, or 0 if it has no event.
var GetMessageEvent = Op[MessageEventInput, int64]{
	Name: "getMessageEvent", Needs: rights.SessionsFollow,
	About: "Get the event of a message in your chat",
}

type GetReplyInput struct {
	Chat    string                 `wire:"-"`
	Message string                 `wire:"-"` // message id
	After   int64                  `wire:"-"` // id of the message's event
	Event   func(core.Event) error `wire:"-"` // called with each event up to the reply
}

// GetReply returns the reply to a message that was accepted earlier. It does not wait: without a
// reply its ID is 0.
var GetReply = Op[GetReplyInput, core.Event]{
	Name: "getReply", Needs: rights.SessionsFollow,
	About: "Get the reply to a message in your chat",
}

type WatchChangesInput struct {
	Person
}

// Changes names lists that have changed.
type Changes struct {
	Lists []string `json:"lists" enum:"tasks,questions,deliveries" description:"lists that have changed; empty: the stream is open and reports changes from now on"`
}

var WatchChanges = Stream[WatchChangesInput, Changes]{
	Name: "watchChanges", Needs: rights.QuestionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/changes",
	About:  "Stream (text/event-stream) which of the lists GET /api/tasks, GET /api/questions and GET /api/outbox change",
	Answer: "which lists have changed; several changes may be one event",
}
