package llm

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"errand/internal/core"
)

// A Kind is the category of an error. It fits the type of an ApplicationError.
type Kind string

// The kinds of errors.
const (
	RateLimited Kind = "rate_limited" // too many requests: retry later
	Overloaded  Kind = "overloaded"   // the provider failed (5xx)
	// No connection, a broken stream, or no sign of life for too long.
	Unreachable     Kind = "unreachable"
	Refused         Kind = "refused"          // permanent: key, model name, credit, a malformed request
	ContextOverflow Kind = "context_overflow" // the transcript is too long: compact and call again
	BadAnswer       Kind = "bad_answer"       // no JSON, no stream, or empty: worth a few retries
)

// A Reason is more exact than a Kind. Package texts has a sentence for each, under the key
// "model." and the reason.
type Reason string

// The reasons.
const (
	BadKey       Reason = "bad_key"       // 401
	Forbidden    Reason = "forbidden"     // 403
	NoCredit     Reason = "no_credit"     // 402, or an exhausted quota
	NoModel      Reason = "no_model"      // 404: the provider has no model of that name
	NoProvider   Reason = "no_provider"   // the server is not a model server
	UnknownModel Reason = "unknown_model" // errand.yaml has no such model
	NoTools      Reason = "no_tools"      // the server takes no tools, or not in this way
	Rejected     Reason = "rejected"      // another refusal: 400
	TooLong      Reason = "too_long"      // the context window
	Filtered     Reason = "filtered"      // the provider's content filter
	NoConnection Reason = "no_connection" // nothing answers at the address
	UnknownHost  Reason = "unknown_host"  // the host name cannot be resolved
	Silent       Reason = "silent"        // connected, but no answer began in time
	Stalled      Reason = "stalled"       // the answer stopped for too long
	BrokenOff    Reason = "broken_off"    // the connection ended in the middle of the answer
	Unavailable  Reason = "unavailable"   // 5xx
	TooMany      Reason = "too_many"      // 429
	Empty        Reason = "empty"         // the answer is empty
	Garbage      Reason = "garbage"       // the answer cannot be read
)

// Why returns the reason of e, or derives one from its status or kind.
func (e *Error) Why() Reason {
	if e.Reason != "" {
		return e.Reason
	}
	if e.Status == http.StatusUnauthorized {
		return BadKey
	}
	switch e.Kind {
	case RateLimited:
		return TooMany
	case Overloaded:
		return Unavailable
	case Unreachable:
		return NoConnection
	case ContextOverflow:
		return TooLong
	case BadAnswer:
		return Garbage
	}
	return Rejected
}

// A Loss is the time and cost of calls that brought no answer. A provider may charge for its
// input even if the answer broke off. A provider that could not be reached, or that refused,
// charges nothing.
type Loss struct {
	// In calls, without waits for a slot and without time in which this process did not run.
	Took  time.Duration
	Usage []core.Usage // estimates
}

func (l *Loss) add(u core.Usage) { l.Usage = append(l.Usage, u) }

// Lost returns the time and cost of the call of [Client.Complete] that returned err.
func Lost(err error) Loss {
	var e *Error
	var i *interrupted
	switch {
	case errors.As(err, &e):
		return e.Lost
	case errors.As(err, &i):
		return i.lost
	}
	return Loss{}
}

type interrupted struct {
	error
	lost Loss
}

func (i *interrupted) Unwrap() error { return i.error }

// An Error says why a model call failed. Its text holds no secret and nothing that people or
// models wrote, so it may be logged and shown.
type Error struct {
	Kind       Kind
	Reason     Reason        // empty: Why derives one
	Provider   string        // empty: no provider was called
	Status     int           // HTTP status; 0: none
	RetryAfter time.Duration // 0: the provider gave no time
	Message    string        // what a person can do about it, or at least what happened
	Hint       Hint          // the source of Message, if errand wrote it
	Lost       Loss          // in all calls, including those to other providers

	tool string // the foreign tool that a 400 names; empty: none
}

func (e *Error) Error() string {
	s := "model call"
	if e.Provider != "" {
		s += fmt.Sprintf(": provider %q", e.Provider)
	}
	s += ": " + string(e.Kind)
	if e.Status >= 400 {
		s += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Message != "" {
		s += ": " + e.Message
	}
	return s
}

// Retryable reports whether the same call may work later.
func (e *Error) Retryable() bool {
	switch e.Kind {
	case RateLimited, Overloaded, Unreachable, BadAnswer:
		return true
	}
	return false
}

// IsDown reports whether the same call may work once the provider does, or once its operator has
// corrected the account or the settings. A provider that forbids a call may mean its text.
func (e *Error) IsDown() bool {
	switch e.Why() {
	case NoConnection, UnknownHost, Unavailable, TooMany, BadKey, NoCredit, NoModel, NoProvider, UnknownModel:
		return true
	}
	return false
}

// elsewhere reports whether another provider is worth a try. If one calls the request
// malformed or too long, so do the others: the caller has to change the request.
func (e *Error) elsewhere() bool {
	if e.Retryable() {
		return true
	}
	switch e.Status {
	case 401, 402, 403, 404, 429: // 429: refused because credit has run out
		return e.Kind == Refused
	}
	return false
}
