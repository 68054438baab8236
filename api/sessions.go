package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// A SessionState is the state of a session: active, suspended or ended.
type SessionState string

type ListSessionsInput struct {
	Person
	Chat    string       `query:"chat" description:"of one chat by page and API"`
	Channel string       `query:"channel" maxLength:"60" description:"of one channel"`
	Agent   string       `query:"agent" maxLength:"60" description:"of one agent"`
	State   SessionState `query:"state" description:"of one state"`
	After
	Before DateOrTime `query:"before" description:"last active before this time or date"`
	Limit  int        `query:"limit" default:"100" maximum:"1000" description:"at most so many, 100 by default"`
}

var ListSessions = Op[ListSessionsInput, List[core.Session]]{
	Name: "listSessions", Needs: rights.SessionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/sessions",
	About: "List sessions, last active first",
}

type SearchSessionsInput struct {
	Text string `query:"q" maxLength:"200" description:"words, all of them"`
	Person
	Limit int `query:"limit" default:"50" maximum:"200" description:"at most so many, 50 by default, 200 at most"`
}

// SearchSessions finds messages, the newest first.
var SearchSessions = Op[SearchSessionsInput, []core.SearchHit]{
	Name: "searchSessions", Needs: rights.SessionsSearch, Also: []string{rights.OthersRead}, Route: "GET /api/sessions/search",
	About: "Search messages for words",
}

// SessionID is part of inputs with a session in the path.
type SessionID struct {
	ID core.SessionID `path:"id" id:"session" description:"session id, or its unique beginning"`
}

var GetSession = Op[SessionID, core.Export]{
	Name: "getSession", Needs: rights.SessionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/sessions/{id}",
	About: "Get a session with its transcript",
}

type ListCallsInput struct {
	SessionID
	Turn int `query:"turn" maximum:"1000000000" description:"number of the turn, as events have it"`
}

var ListCalls = Op[ListCallsInput, []core.TurnCall]{
	Name: "listCalls", Needs: rights.SessionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/sessions/{id}/calls",
	About:  "List the tool calls of a turn, with arguments and results",
	Answer: "the calls, in order; of a running turn, the calls so far",
}

type ExportSessionInput struct {
	Format string `query:"format" enum:"markdown,json" description:"markdown by default"`
	SessionID
}

var ExportSession = Op[ExportSessionInput, File]{
	Name: "exportSession", Needs: rights.SessionsRead, Also: []string{rights.OthersRead}, Route: "GET /api/sessions/{id}/export",
	Media: "text/markdown",
	About: "Export a session as a file", More: "With format=json the file has the answer of GET /api/sessions/{id}.",
}

type DeleteSessionInput struct {
	SessionID
	Force bool `query:"force" description:"true: cancel running tasks and delete the session"`
}

type DeletedSession struct {
	Removed map[string]int `json:"removed" description:"how many of what"`
	Session core.SessionID `json:"session_id"`
}

// DeleteSession refuses while tasks are at work, unless Force cancels them. A session that was
// deleted only partly may be deleted again.
var DeleteSession = Op[DeleteSessionInput, DeletedSession]{
	Name: "deleteSession", Needs: rights.SessionsDelete, Also: []string{rights.OthersRead, rights.OthersChange}, Route: "DELETE /api/sessions/{id}",
	Deeds: []core.Deed{core.DeedSessionDelete},
	About: "Delete a session permanently: its rows, notes and workflow histories", Answer: "what was removed",
}

type TurnUsageInput struct {
	Session core.SessionID `wire:"-"`
	Turn    int            `wire:"-"`
}

// GetTurnUsage answers nil if the person's role may not read usage. A token that may send messages
// may read what its answers have used.
var GetTurnUsage = Op[TurnUsageInput, *core.Usage]{
	Name: "getTurnUsage", Needs: rights.MessagesSend,
	About: "Get the usage of one of your turns",
}
