// Package tools is the tools that agents can call.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"errand/internal/llm"
	"errand/internal/store"
)

// An Effect says what happens when a tool runs twice.
type Effect string

// The effects.
const (
	ReadOnly   Effect = "read_only"
	Idempotent Effect = "idempotent" // a second run with the same key changes nothing
	Once       Effect = "once"       // one attempt, then "outcome unknown"
)

// A Tool is one thing that an agent can call.
type Tool struct {
	Name        string
	Description string
	Parameters  json.RawMessage // a JSON Schema of an object
	Effect      Effect
	Doing       string // what a person reads while it runs: "searching"
	Delegates   bool   // carried out by the workflow; Run is nil
	Waits       bool   // of a delegating tool: the turn waits for the task
	HandsOver   bool   // carried out by the store; Run is nil

	// Run carries out one call. Text that starts with "error: " tells the model
	// what was wrong; an error says that the tool could not be run at all, and
	// another attempt may help.
	Run func(ctx context.Context, call store.Call, args json.RawMessage) (string, error)
}

// A Set is the tools of an installation, in the order in which models see them.
type Set struct {
	tools []Tool
}

// NewSet makes a set; names must differ.
func NewSet(list ...Tool) (*Set, error) {
	s := &Set{}
	for _, t := range list {
		if _, dup := s.Tool(t.Name); dup {
			return nil, fmt.Errorf("tool %q is there twice", t.Name)
		}
		if !t.Delegates && !t.HandsOver && t.Run == nil {
			return nil, fmt.Errorf("tool %q cannot be run", t.Name)
		}
		s.tools = append(s.tools, t)
	}
	return s, nil
}

// Tool returns the tool called name.
func (s *Set) Tool(name string) (Tool, bool) {
	i := slices.IndexFunc(s.tools, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return s.tools[i], true
}

// Names returns the names of all tools.
func (s *Set) Names() []string {
	names := make([]string, len(s.tools))
	for i, t := range s.tools {
		names[i] = t.Name
	}
	return names
}

// Offer returns, as models are told, the tools for which may holds.
func (s *Set) Offer(may func(Tool) bool) []llm.Tool {
	var offer []llm.Tool
	for _, t := range s.tools {
		if may(t) {
			offer = append(offer, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters})
		}
	}
	return offer
}

// parse reads the arguments of a call. What is wrong with them is for the model
// to read.
func parse[T any](args json.RawMessage) (T, error) {
	var v T
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, &v); err != nil {
		return v, fmt.Errorf("the arguments are not the JSON object that the tool takes: %v", err)
	}
	return v, nil
}
