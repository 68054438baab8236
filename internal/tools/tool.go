// Package tools is the tools that agents can call.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/texts"
)

// An Effect says what happens if a tool runs twice.
type Effect string

// The effects.
const (
	ReadOnly   Effect = "read_only"
	Idempotent Effect = "idempotent" // a second run with the same key changes nothing
	Once       Effect = "once"       // one attempt; if it fails, the outcome is unknown
)

// DefaultTimeout is the time limit of one run of a tool that sets none.
const DefaultTimeout = 2 * time.Minute

// A Tool is a tool that agents can call.
type Tool struct {
	Name        string // contains a dot for a tool of an MCP server: "github.create_issue"
	Description string
	Parameters  json.RawMessage // JSON Schema of an object
	Effect      Effect
	Doing       texts.Key // what a person reads while an activity runs it: "reading a file"
	By          store.By  // what executes a call; default: store.ByActivity

	// Role is the minimum role of the person that the tool runs for. Empty: the table of
	// rights alone decides. See docs/rights.md.
	Role core.Role

	// For selects agents among those that have the tool in their roster entry; nil: all.
	For func(core.AgentName) bool

	// Queue is the task queue of the workers that can run the tool; empty: all can.
	Queue string

	// Timeout limits one run; default: [DefaultTimeout].
	Timeout time.Duration

	// Approval is the tool's own approval rule. A stricter rule of the operator overrides it.
	// Empty: no approval. See [Approvals].
	Approval core.ApprovalRule

	// Rank orders the tools if a request has room for only some of them: lower ranks go first.
	// Tools of rank 0 are always offered.
	Rank int

	// Untrusted says that the tool belongs to a server that is not trusted, so its description
	// and hints may be false.
	Untrusted bool

	// Bind returns the stored content that a call with these arguments uses, such as the
	// version and hash of a file, or nil. A question about the call shows it under "content",
	// and an approval covers only that content. Run gets it with the arguments and must refuse
	// any other content. nil: calls use no stored content.
	Bind func(ctx context.Context, place string, args json.RawMessage) (any, error)

	// Run executes one call in an activity. It is nil for tools that are executed otherwise. A
	// text that starts with "error: " describes a mistake to the model. An error means that
	// the tool could not run, and that a retry may help. For a tool with the effect Once, an
	// error means that the outcome is unknown, and the model is informed.
	//
	// Run returns the whole text; the store keeps what is too long for a model. It has to
	// return soon after ctx ends, because the person stopped the turn or the time is over.
	// call.Key identifies the call: an idempotent tool passes it on, so that a second run has
	// no second effect.
	Run func(ctx context.Context, call store.Call, args json.RawMessage) (string, error)
}

// Parse parses the arguments of a call. The model reads the error.
func Parse[T any](args json.RawMessage) (T, error) {
	var v T
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, &v); err != nil {
		return v, fmt.Errorf("the arguments are not the JSON object that the tool takes: %v", err)
	}
	return v, nil
}
