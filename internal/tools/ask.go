package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"errand"
	"errand/internal/store"
)

// AskUser is the name of the tool that asks the person.
const AskUser = "ask_user"

// Bounds of a question: it has to fit into a message and on buttons.
const (
	maxQuestion  = 2000 // characters
	maxOptions   = 10
	maxOption    = 100 // characters
	maxAnswering = 8 << 10
)

// Ask is the tool by which an agent asks the person. The store carries it out, with the
// step that asks, and the turn waits for the answer.
func Ask() Tool {
	return Tool{
		Name: AskUser,
		Description: "Ask the person something that you need to know and cannot find out. The question reaches them in their chat, with your name. " +
			"The answer may take days; you go on when it is there. Ask for one thing, and only where guessing would be wrong.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"question": {"type": "string", "description": "complete in itself: the person does not see what you are doing"},
				"options": {"type": "array", "items": {"type": "string"}, "description": "the answers there are, where there are only so many; at most 10, short: they are buttons"},
				"schema": {"type": "object", "description": "a JSON schema of the answer, where it has to be a number, a date or the like: one string, integer, number or boolean, or an object of such. Not with options"}
			},
			"required": ["question"]
		}`),
		By: store.ByQuestion,
	}
}

// ParseQuestion reads a call of [AskUser]. The error is for the model to read.
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
			return q, fmt.Errorf("the option %q is too long; at most %d characters", errand.Cut(o, 40), maxOption)
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
	_, err = errand.ParseAnswerSchema(q.Schema)
	return q, err
}
