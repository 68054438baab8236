package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/store"
)

// Consult is the name of the tool with which an agent asks another one and keeps the conversation.
const Consult = "consult"

func consult() Tool {
	return Tool{
		Name: Consult,
		Description: "Ask a colleague something that you need for your answer. You keep the conversation: the result of this call is the colleague's answer. " +
			"If you set ask, errand asks the user first and your turn ends. If the user agrees, call this again without ask; if not, answer without the colleague.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agent": {"type": "string", "description": "name of the colleague"},
				"question": {"type": "string", "description": "understandable by itself: the colleague does not see this conversation"},
				"ask": {"type": "boolean", "description": "ask the user first, if they might object to the colleague knowing this or to the cost"}
			},
			"required": ["agent", "question"]
		}`),
		By: store.ByDelegation,
	}
}

// A Consultation is a parsed call of [Consult].
type Consultation struct {
	Agent    core.AgentName
	Question string
	Ask      bool // ask the person for consent first
}

// ParseConsult parses a call of [Consult]. The model reads the error.
func ParseConsult(args string) (Consultation, error) {
	in, err := Parse[struct {
		Agent, Question string
		Ask             bool
	}](json.RawMessage(args))
	if err != nil {
		return Consultation{}, err
	}
	c := Consultation{core.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))), strings.TrimSpace(in.Question), in.Ask}
	switch n := utf8.RuneCountInString(c.Question); {
	case c.Agent == "":
		return c, errors.New(`"agent" is missing`)
	case n == 0:
		return c, errors.New(`"question" is missing`)
	case len(c.Question) > maxTask:
		return c, fmt.Errorf("the question has %d bytes; at most %d", len(c.Question), maxTask)
	case c.Ask && n > maxQuestion/2:
		return c, fmt.Errorf("the question has %d characters, too many to ask the user about it; at most %d", n, maxQuestion/2)
	}
	return c, nil
}
