// Package tools is the tools that agents can call.
package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand"
	"errand/internal/store"
	"errand/internal/texts"
)

// An Effect says what happens when a tool runs twice.
type Effect string

// The effects.
const (
	ReadOnly   Effect = "read_only"
	Idempotent Effect = "idempotent" // a second run with the same key changes nothing
	Once       Effect = "once"       // one attempt, then "outcome unknown"
)

// DefaultTimeout is how long one run of a tool may take that says nothing of it.
const DefaultTimeout = 2 * time.Minute

// A Tool is one thing that an agent can call.
type Tool struct {
	Name        string // that of an MCP server's tool has a dot: "github.create_issue"
	Description string
	Parameters  json.RawMessage // a JSON Schema of an object
	Effect      Effect
	Doing       texts.Key // what a person reads while it runs by an activity: "reading a file"
	By          store.By  // who carries a call out; default: store.ByActivity

	// Role is the least role of the person for whom it runs; empty: the table of rights
	// alone decides. See docs/rights.md.
	Role errand.Role

	// For says for which agents it is, of those whose roster names it; nil: all.
	For func(errand.AgentName) bool

	// Queue is the task queue of the workers that can run it; empty: any can.
	Queue string

	// Timeout is how long one run may take; default: [DefaultTimeout].
	Timeout time.Duration

	// Approval is the rule by which it waits for a person's yes, where the operator has
	// set none that asks more often; empty: it does not wait. See [Approvals].
	Approval errand.ApprovalRule

	// Rank says which tools go first where a request has room for fewer than the agent has:
	// those of a lower rank. Of 0 all are offered.
	Rank int

	// Untrusted says that nobody here vouches for what the tool says of itself: it is of a
	// server that is not trusted.
	Untrusted bool

	// Bind returns the stored content that a call with these arguments uses, such as the
	// version and hash of a file that it names, or nil. A question about the call shows it
	// under "content", a yes is good for that content alone, and Run gets it with the
	// arguments and refuses to use any other. Nil: calls name no stored content.
	Bind func(ctx context.Context, place string, args json.RawMessage) (any, error)

	// Run carries out one call by an activity; of any other tool it is nil. Text that
	// starts with "error: " tells the model what was wrong; an error says that the tool
	// could not be run at all, and another attempt may help. Of a tool that is once an
	// error is no such thing: whether it had its effect is not known then, and the model
	// is told so.
	//
	// It returns the whole text, however long: the store keeps what is too long for a
	// model. It ends soon after ctx, which it does when the person stops the turn and
	// when its time is over. call.Key names the call: an idempotent tool hands it on to
	// whatever keeps it from having its effect twice.
	Run func(ctx context.Context, call store.Call, args json.RawMessage) (string, error)
}

// Parse reads the arguments of a call. What is wrong with them is for the model
// to read.
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
