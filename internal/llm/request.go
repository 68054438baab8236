package llm

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"errand"
)

// A Request is one model call.
type Request struct {
	Model    string           // key of the configured models: "default"
	System   string           // instructions; may be empty
	Messages []errand.Message // the transcript; Speaker, Text, Pictures, Calls, CallID and State are read
	// Note is what changes from request to request, such as the time: it is the last
	// message, so that what stands before it stays the same and providers keep it.
	Note  string
	Tools []Tool // what the model may call

	// NoTools keeps Tools in the prompt, where the transcript refers to them,
	// but forbids calls: the last step that is allowed. A Response to it has no
	// calls, whatever the model tried.
	NoTools bool

	// MustCall is the one of Tools that has to be called, or [AnyTool]; empty: none has to be.
	MustCall string

	// Background is set for calls that nobody sits and waits for: at the semaphore of a
	// provider people go before them.
	Background bool
	// For is the id of the person that the call is made for. At the semaphore of a provider
	// different people take turns: many calls for one do not hold up a call for another.
	For   string
	Guest bool // For is a guest, see [limit.FairSemaphore]
	// Waits is called with true when the call has to wait for a place at a provider, and
	// then with false when it has one. nil is allowed.
	Waits func(waiting bool)

	// Keep is told of an answer that a provider makes in the background, as soon as it has
	// a name, and of the zero value when there is nothing to be fetched any more. If it
	// fails the answer is cancelled. nil: no answer is made in the background.
	Keep func(context.Context, errand.PendingResponse) error
	// Resume is what Keep was told of by an earlier attempt at the same call.
	Resume errand.PendingResponse

	// CacheKey is an opaque id of the session, the same for all its requests: a provider
	// with many machines sends those of one key to the one that has its prefix.
	CacheKey string

	// Effort is how long the model is to reason ("low", "medium", "high"), and Verbosity how
	// much it is to write. They are sent where the provider knows them; empty: its default.
	Effort    string
	Verbosity string

	MaxOutput int    // tokens; 0 is the model's own limit
	User      string // opaque id passed on for abuse reports; may be empty
}

// A Tool is what a model may call.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of an object; nil means no parameters
	// Strict asks that arguments fit Parameters, where the wire knows of schemas like it.
	Strict bool `json:"strict,omitempty"`
	// Foreign says that the tool is of an MCP server: where a provider refuses it, the request
	// is made without it.
	Foreign bool `json:"-"`
}

// AnyTool says that some tool has to be called, whichever.
const AnyTool = "*"

// A Delta is a piece of the answer as it is generated. Reset means: forget what
// was streamed, the call begins again with another provider.
type Delta struct {
	Text  string
	Reset bool
}

// A Response is the whole answer: text, calls, or both.
//
// Everything in it is valid UTF-8 without NUL. Ids of calls are unique within
// it and never empty. Names and arguments are as the model wrote them: the tool
// need not exist, the arguments need not be JSON.
type Response struct {
	Text  string
	Calls []errand.ToolCall
	Usage errand.Usage

	// BrokenOff is what calls cost that failed before this answer, at providers
	// that may have begun to work on them: an estimate.
	BrokenOff []errand.Usage

	// Truncated: the model hit its output limit, or went beyond maxAnswer bytes,
	// maxCalls calls or longestAnswer and was cut off there. The last call may be incomplete.
	Truncated bool

	// State is what the provider wants back with the next request, in the State of the
	// message that this answer becomes; nil: nothing.
	State *errand.ProviderState
	// Filtered: the provider withheld what would have followed.
	Filtered bool
}

// Estimate guesses the input tokens of r, four characters to a token. It is
// meant for reserving budgets and for deciding when to compact.
func Estimate(r Request) int {
	n := utf8.RuneCountInString(r.System) + utf8.RuneCountInString(r.Note)
	for _, m := range r.Messages {
		n += m.Characters()
	}
	for _, t := range r.Tools {
		n += 16 + len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	return errand.TokensOf(n)
}
