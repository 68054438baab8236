package llm

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"errand/internal/core"
)

// A Request is one model call.
type Request struct {
	Model  string // key of a configured model: "default"
	System string // instructions; may be empty
	// The transcript; Speaker, Text, Pictures, Calls, CallID and State are read.
	Messages []core.Message
	// Note is the part that changes between requests, such as the time. It goes last, so that
	// the messages before it stay the same and providers can cache them.
	Note  string
	Tools []Tool // what the model may call

	// NoTools keeps Tools in the prompt, because the transcript refers to them. It forbids
	// calls. It is set for the last step of a turn. The Response has no calls, whatever the
	// model tried.
	NoTools bool

	// MustCall is the name of a tool that the model has to call, or [AnyTool]. Empty: it need
	// not call any.
	MustCall string

	// Trial marks the first step of [Client.Try]: it has a picture that shows whether the model sees.
	Trial bool

	// Background marks calls that no person is waiting for. Other calls go before them when
	// calls wait for a slot at a provider.
	Background bool
	// For is the id of the person the call is made for. When calls wait for a slot at a
	// provider, people take turns, so that many calls for one person do not hold up a call for
	// another.
	For   string
	Guest bool // For is a guest; see [limit.FairSemaphore]
	// Waits, if set, is called with true when the call has to wait for a slot at a provider, and
	// with false when it has one.
	Waits func(waiting bool)

	// Keep is called with the id of an answer that a provider makes in the background, as soon
	// as there is one, and with the zero value when there is nothing left to fetch. If Keep
	// fails, the answer is cancelled. nil: no answers in the background.
	Keep func(context.Context, core.PendingResponse) error
	// Resume is the value that an earlier attempt at the same call passed to Keep.
	Resume core.PendingResponse

	// CacheKey is an opaque id of the session, the same for all its requests. A provider with
	// many machines uses it to route a request to the machine that has cached the prefix.
	CacheKey string

	// Effort is how long the model should reason ("low", "medium", "high"). Verbosity is how
	// much it should write. They are sent if the provider knows them; empty: its default.
	Effort    string
	Verbosity string

	MaxOutput int    // tokens; 0 is the model's own limit
	User      string // opaque id passed on for abuse reports; may be empty
}

// A Tool is a function that a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object; nil: no parameters
	// Strict asks the provider to enforce Parameters, if the wire supports a schema like it.
	Strict bool `json:"strict,omitempty"`
	// Foreign marks a tool of an MCP server. If a provider refuses it, the request is made
	// without it.
	Foreign bool `json:"-"`
}

// AnyTool, as MustCall, requires a call of any of the tools.
const AnyTool = "*"

// A Delta is a piece of the answer while it is generated. Reset means that the call starts
// again at another provider: discard what was streamed.
type Delta struct {
	Text  string
	Reset bool
}

// A Response is the whole answer: text, calls, or both.
//
// Everything in it is valid UTF-8 without NUL. Ids of calls are unique within it and never
// empty. Names and arguments are as the model wrote them: the tool may not exist, and the
// arguments may not be JSON.
type Response struct {
	Text  string
	Calls []core.ToolCall
	Usage core.Usage

	// BrokenOff estimates the cost of calls that failed before this answer, at providers that
	// may have begun to work on them.
	BrokenOff []core.Usage

	// Truncated reports that the model hit its output limit, or that the answer exceeded
	// maxAnswer bytes, maxCalls calls or longestAnswer and was cut. The last call may be
	// incomplete.
	Truncated bool

	// State holds the data that the provider wants back with the next request. It belongs in
	// the State of the message that this answer becomes. nil: nothing.
	State *core.ProviderState
	// Filtered reports that the provider withheld the rest of the answer.
	Filtered bool
}

// Estimate guesses the input tokens of r at four characters a token. It is used to reserve
// budgets and to decide when to compact.
func Estimate(r Request) int {
	n := utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.Note)
	for _, m := range r.Messages {
		n += m.Characters()
	}
	for _, t := range r.Tools {
		n += 16 + len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return core.TokensOf(n)
}
