package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"errand"
	"errand/internal/store"
)

// Consult is the name of the tool by which an agent asks a colleague, and keeps the
// conversation.
const Consult = "consult"

func consult() Tool {
	return Tool{
		Name: Consult,
		Description: "Ask a colleague something that you need for your answer. The conversation stays with you: the colleague's answer is the result of this call, and you go on. " +
			"With ask the person is asked first whether they agree; your turn ends with that, and their next message says it. Then call this without ask, or go on without the colleague.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agent": {"type": "string", "description": "name of the colleague"},
				"question": {"type": "string", "description": "complete in itself: the colleague does not see this conversation"},
				"ask": {"type": "boolean", "description": "ask the person first: where they might not want that the colleague learns of it, or what it costs"}
			},
			"required": ["agent", "question"]
		}`),
		By: store.ByDelegation,
	}
}

// A Consultation is what [Consult] is called with.
type Consultation struct {
	Agent    errand.AgentName
	Question string
	Ask      bool // whether the person agrees
}

// ParseConsult reads a call of [Consult]. The error is for the model to read.
func ParseConsult(args string) (Consultation, error) {
	in, err := Parse[struct {
		Agent, Question string
		Ask             bool
	}](json.RawMessage(args))
	if err != nil {
		return Consultation{}, err
	}
	c := Consultation{errand.AgentName(strings.ToLower(strings.TrimSpace(in.Agent))), strings.TrimSpace(in.Question), in.Ask}
	switch n := utf8.RuneCountInString(c.Question); {
	case c.Agent == "":
		return c, errors.New(`"agent" is missing`)
	case n == 0:
		return c, errors.New(`"question" is missing`)
	case len(c.Question) > maxTask:
		return c, fmt.Errorf("the question has %d bytes; at most %d", len(c.Question), maxTask)
	case c.Ask && n > maxQuestion/2:
		return c, fmt.Errorf("the question has %d characters, which is too long for the person to be asked about; at most %d", n, maxQuestion/2)
	}
	return c, nil
}
