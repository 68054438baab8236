package api

import (
	"errand/internal/core"
	"errand/internal/rights"
)

// An Agent describes an agent for one person in one conversation.
type Agent struct {
	Name        core.AgentName `json:"name"`
	Description string         `json:"description"`
	Primary     bool           `json:"primary"`
	Active      bool           `json:"active"`    // the conversation is with it
	LastUsed    bool           `json:"last_used"` // the last other than the primary that the person talked with
	Talks       bool           `json:"talks" description:"the chat can be switched to it"`
}

// ConversationKey is part of inputs that callers inside the program can use with a conversation's
// key.
type ConversationKey struct {
	Key core.SessionKey `wire:"-"`
}

// ListAgentsInput may name a conversation, by one of the person's chats or by its key.
type ListAgentsInput struct {
	Chat string `query:"chat" description:"also say which of them this chat is with"`
	ConversationKey
}

var ListAgents = Op[ListAgentsInput, []Agent]{
	Name: "listAgents", Needs: rights.AgentsRead, Also: []string{rights.OthersRead}, Route: "GET /api/agents",
	About: "List the agents that you may talk with",
}

var GetActiveAgent = Op[ConversationKey, core.AgentName]{
	Name: "getActiveAgent", Needs: rights.AgentsRead, Also: []string{rights.OthersRead},
	About: "Get the agent that leads a conversation",
}

type SwitchAgentInput struct {
	ConversationKey
	Agent core.AgentName `wire:"-"` // empty: the primary one
}

// SwitchAgent answers with the agent that leads the conversation afterwards. It calls no model.
var SwitchAgent = Op[SwitchAgentInput, core.AgentName]{
	Name: "switchAgent", Needs: rights.SessionsSwitch, Also: []string{rights.OthersChange},
	About: "Let another agent lead a conversation",
}
