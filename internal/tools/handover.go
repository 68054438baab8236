package tools

import (
	"encoding/json"
	"errors"
	"strings"

	"errand"
	"errand/internal/store"
)

// TransferToAgent is the name of the tool that hands a conversation over.
const TransferToAgent = "transfer_to_agent"

// HandOver is the tool that puts another agent in charge of the conversation.
// The store carries it out, with the step that asks for it.
func HandOver() Tool {
	return Tool{
		Name: TransferToAgent,
		Description: "Hand this conversation over to another agent, who answers the person from now on, this message first. " +
			"Use it when the person wants to talk with that agent, or when what follows is that agent's trade; to have one thing done, delegate instead.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agent": {"type": "string", "description": "name of the agent"},
				"reason": {"type": "string", "description": "why, in half a sentence: the agent reads it"}
			},
			"required": ["agent"]
		}`),
		By: store.ByHandover,
	}
}

// A Transfer is what [TransferToAgent] is called with.
type Transfer struct {
	Agent  errand.AgentName
	Reason string
}

// ParseTransfer reads the arguments of [TransferToAgent]. The error is for the
// model to read.
func ParseTransfer(args string) (Transfer, error) {
	in, err := Parse[struct{ Agent, Reason string }](json.RawMessage(args))
	if err != nil {
		return Transfer{}, err
	}
	t := Transfer{errand.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))), errand.Cut(strings.TrimSpace(in.Reason), 500)}
	if t.Agent == "" {
		return t, errors.New(`"agent" is missing`)
	}
	return t, nil
}
