package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// CallID names a call of a client by the client's own id. It names only calls of the actor's login.
type CallID struct {
	ID string `wire:"-"`
}

var CancelCall = Op[CallID, None]{
	Name: "cancelCall", Needs: rights.SelfRead,
	About: "Cancel a waiting call on any worker",
}

type FollowCallInput struct {
	CallID
	Canceled func() `wire:"-"` // runs in another goroutine each time the call is canceled
}

// FollowCall returns a function that ends the following. It may be called more than once.
var FollowCall = Op[FollowCallInput, func()]{
	Name: "followCall", Needs: rights.SelfRead,
	About: "Wait until a call is canceled",
}

type ClientCallsInput struct {
	Key     core.SessionKey `wire:"-"` // of the conversation
	Session core.SessionID  `wire:"-"`
	Turn    int             `wire:"-"`
}

// ClientCalls are calls of a program's own tools that ended a turn, and the agent's text with them.
type ClientCalls struct {
	Text  string
	Calls []core.ClientCall
}

var GetClientCalls = Op[ClientCallsInput, ClientCalls]{
	Name: "getClientCalls", Needs: rights.SessionsFollow, Also: []string{rights.OthersRead},
	About: "List the calls of a program's tools that ended a turn",
}

type FindClientCallInput struct {
	ID string `wire:"-"`
}

// A FoundClientCall says where a call of a program's tool was made.
type FoundClientCall struct {
	Route core.Route // of the conversation; empty: the actor has no conversation with this call
	Waits bool       // the call waits for its output
}

var FindClientCall = Op[FindClientCallInput, FoundClientCall]{
	Name: "findClientCall", Needs: rights.SessionsFollow,
	About: "Find the conversation in which an agent called a program's tool",
}
