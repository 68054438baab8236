package tools

import (
	"encoding/json"
	"errors"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
)

// TransferToAgent is the name of the tool that hands the conversation over.
const TransferToAgent = "transfer_to_agent"

// HandOver returns the tool that hands the conversation over to another agent. The store
// executes it in the step that calls it.
func HandOver() Tool {
	return Tool{
		Name: TransferToAgent,
		Description: "Hand this conversation over to another agent, which answers the user from now on, beginning with this message. " +
			"Use it if the user wants to talk with that agent, or if the next questions belong to that agent's field. For a single job, delegate instead.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agent": {"type": "string", "description": "name of the agent"},
				"reason": {"type": "string", "description": "why, in half a sentence, for that agent"}
			},
			"required": ["agent"]
		}`),
		By: store.ByHandover,
	}
}

// A Transfer is a parsed call of [TransferToAgent].
type Transfer struct {
	Agent  core.AgentName
	Reason string
}

// ParseTransfer parses the arguments of [TransferToAgent]. The model reads the error.
func ParseTransfer(args string) (Transfer, error) {
	in, err := Parse[struct{ Agent, Reason string }](json.RawMessage(args))
	if err != nil {
		return Transfer{}, err
	}
	t := Transfer{core.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))), core.Cut(strings.TrimSpace(in.Reason), 500)}
	if t.Agent == "" {
		return t, errors.New(`"agent" is missing`)
	}
	return t, nil
}
