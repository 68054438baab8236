package errand

import (
	"encoding/json"
	"slices"
)

// A ClientTool is a function of the program that talks with an agent: the agent calls it, and
// the program carries it out.
type ClientTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"` // JSON Schema of an object; nil means no parameters
	Strict      bool            `json:"strict,omitempty"`     // the arguments have to fit Parameters
}

// ClientTools are what a program offers with a message, for the turn that answers it.
type ClientTools struct {
	Tools  []ClientTool `json:"tools"`
	Must   bool         `json:"must,omitempty"`   // the turn may not end without calls
	Only   string       `json:"only,omitempty"`   // with Must, the one that has to be called; empty: any
	Single bool         `json:"single,omitempty"` // a step calls one of them at most
}

// Has reports whether a tool of a name is offered.
func (c *ClientTools) Has(name string) bool {
	return c != nil && slices.ContainsFunc(c.Tools, func(t ClientTool) bool { return t.Name == name })
}

// A ClientCall is one call that a turn has ended with, for the program to carry out.
type ClientCall struct {
	ID        string // one of errand's own: no other call anywhere has it
	Name      string
	Arguments string // JSON
}

// A ClientOutput is what came of a call, as the program tells.
type ClientOutput struct {
	Call string // the id of it
	Text string
}
