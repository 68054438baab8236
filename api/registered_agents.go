package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

type RegisterAgentInput struct {
	Name        core.AgentName `wire:"-"`
	Description string         `wire:"-"`
}

// RegisterAgent makes a program of the actor, such as an editor, an agent that only the actor's
// conversations can delegate to. The same name again is the same agent.
var RegisterAgent = Op[RegisterAgentInput, core.AgentName]{
	Name: "registerAgent", Needs: rights.AgentsRegister, Rate: RateMessage,
	About: "Register a program as an agent",
}

var ListRegisteredAgents = Op[None, []core.RegisteredAgent]{
	Name: "listRegisteredAgents", Needs: rights.AgentsRead,
	About: "List the agents that you have registered",
}

// An AgentRequest is a task for a registered agent.
type AgentRequest struct {
	ID   core.Owner // identifies the request in [AnswerRequest]
	Task core.Task
}

type NextRequestInput struct {
	Name   core.AgentName `wire:"-"`
	AtMost time.Duration  `wire:"-"` // how long to wait for a request
}

// NextRequest answers with the oldest unanswered request to an agent of the actor; nil: none came
// in time. It answers with the same request until that is answered or has ended, so a client may
// ask again.
var NextRequest = Op[NextRequestInput, *AgentRequest]{
	Name: "nextRequest", Needs: rights.AgentsRegister, Waits: true,
	About: "Wait for a request to a registered agent",
}

type AnswerRequestInput struct {
	Request string `wire:"-"`
	Text    string `wire:"-"`
	Failed  bool   `wire:"-"` // the agent could not do it, and Text says why
}

// AnswerRequest ends a request to an agent of the actor. The first answer is final; the same one
// again does nothing.
var AnswerRequest = Op[AnswerRequestInput, core.TaskID]{
	Name: "answerRequest", Needs: rights.AgentsRegister, Rate: RateMessage,
	About: "Answer a request to a registered agent",
}
