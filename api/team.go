package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// ListProcedures is refused to actors who may not use /team.
var ListProcedures = Op[None, []string]{
	Name: "listProcedures", Needs: rights.TasksDelegate,
	About: "List the names of the procedures that you may start with /team, in their order",
}

// A TeamRequest asks agents for something in a message of a conversation. The same message asks
// once.
type TeamRequest struct {
	ConversationKey
	Route     core.Route `wire:"-"` // of the conversation
	Group     bool       `wire:"-"` // other people read the conversation
	MessageID string     `wire:"-"`
	Text      string     `wire:"-"` // the task
	Said      string     `wire:"-"` // the other words of the message; agents read them as the last message before the task
}

// A TeamTarget is an agent that is asked, and the messages that go with its task.
type TeamTarget struct {
	Agent core.AgentName
	Last  int  // number of the last messages of the conversation; 0: the configured number
	Auto  bool // send the messages that fit the task instead of the last ones
}

type AskTeamInput struct {
	TeamRequest
	Targets []TeamTarget `wire:"-"` // at least one
}

type AskedTeam struct {
	Tasks   []core.Task
	Refused error // why the other targets were not asked; nil: all were asked
}

// AskTeam gives each target a task of its own. Each target answers in its own voice: in its own chat
// with the person if it has an account on the platform, else in the conversation.
var AskTeam = Op[AskTeamInput, AskedTeam]{
	Name: "askTeam", Needs: rights.TasksDelegate, Also: []string{rights.OthersChange}, Rate: RateHandler,
	About: "Give several agents a task each, with messages of the conversation",
}

type AskProcedureInput struct {
	TeamRequest
	Name string `wire:"-"`
}

var AskProcedure = Op[AskProcedureInput, core.Task]{
	Name: "askProcedure", Needs: rights.TasksDelegate, Also: []string{rights.OthersChange}, Rate: RateHandler,
	About: "Start a procedure, with messages of the conversation",
}
