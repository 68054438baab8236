package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"errand/internal/answer"
	"errand/internal/core"
	"errand/internal/store"
)

// AskUser is the name of the tool that asks the person a question.
const AskUser = "ask_user"

// Limits of a question: it has to fit into a message, and its options on buttons.
const (
	maxQuestion  = 2000 // characters
	maxOptions   = 10
	maxOption    = 100 // characters
	maxAnswering = 8 << 10
)

// Ask returns the tool with which an agent asks the person a question. The store executes
// it in the step that calls it, and the turn waits for the answer.
func Ask() Tool {
	return Tool{
		Name: AskUser,
		Description: "Ask the user for something that you need to know and cannot find out. The question appears in their chat with your name. " +
			"The answer may take days; you continue when it arrives. Ask one thing, and only if a guess would be wrong. If you talk with the user directly, ask in your reply instead.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"question": {"type": "string", "description": "understandable by itself: the user does not see your work"},
				"options": {"type": "array", "items": {"type": "string"}, "description": "the possible answers, if they are few: at most 10, short, shown as buttons"},
				"schema": {"type": "object", "description": "JSON schema of the answer, for example for a number or a date: one string, integer, number or boolean, or an object of these. Not together with options"}
			},
			"required": ["question"]
		}`),
		By: store.ByQuestion,
	}
}

// ParseQuestion parses a call of [AskUser]. The model reads the error.
func ParseQuestion(args string) (store.NewQuestion, error) {
	in, err := Parse[struct {
		Question string
		Options  []string
		Schema   json.RawMessage
	}](json.RawMessage(args))
	if err != nil {
		return store.NewQuestion{}, err
	}
	q := store.NewQuestion{Text: strings.TrimSpace(in.Question)}
	for _, o := range in.Options {
		o = strings.Join(strings.Fields(o), " ")
		switch {
		case o == "":
			return q, errors.New("an option is empty")
		case utf8.RuneCountInString(o) > maxOption:
			return q, fmt.Errorf("the option %q is too long; at most %d characters", core.Cut(o, 40), maxOption)
		case slices.ContainsFunc(q.Options, func(other string) bool { return strings.EqualFold(o, other) }):
			return q, fmt.Errorf("the option %q is there twice", o)
		}
		q.Options = append(q.Options, o)
	}
	if s := strings.TrimSpace(string(in.Schema)); s != "" && s != "null" && s != "{}" {
		q.Schema = json.RawMessage(s)
	}
	switch n := utf8.RuneCountInString(q.Text); {
	case n == 0:
		return q, errors.New(`"question" is missing`)
	case n > maxQuestion:
		return q, fmt.Errorf("the question has %d characters; at most %d", n, maxQuestion)
	case len(q.Options) > maxOptions:
		return q, fmt.Errorf("there are %d options; at most %d", len(q.Options), maxOptions)
	case len(q.Options) > 0 && q.Schema != nil:
		return q, errors.New("give options or a schema, not both")
	case len(q.Schema) > maxAnswering:
		return q, fmt.Errorf("the schema has %d bytes; at most %d", len(q.Schema), maxAnswering)
	case q.Schema == nil:
		return q, nil
	}
	_, err = answer.ParseAnswerSchema(q.Schema)
	return q, err
}
