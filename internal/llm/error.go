package llm

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"errand"
)

// A Kind says what went wrong, in words that fit an ApplicationError's type.
type Kind string

// The kinds of errors.
const (
	RateLimited     Kind = "rate_limited"     // too many requests: later
	Overloaded      Kind = "overloaded"       // the provider's own trouble (5xx)
	Unreachable     Kind = "unreachable"      // no connection, cut in mid-stream, or silent for too long
	Refused         Kind = "refused"          // permanent: key, model name, credit, a malformed request
	ContextOverflow Kind = "context_overflow" // the transcript is too long: compact and call again
	BadAnswer       Kind = "bad_answer"       // no JSON, no stream, or nothing in it: worth a few attempts, not many
)

// A Reason says more exactly what went wrong, so that it can be put into words
// for people: package texts has a sentence for each, "model." and the reason.
type Reason string

// The reasons.
const (
	BadKey       Reason = "bad_key"       // 401
	Forbidden    Reason = "forbidden"     // 403
	NoCredit     Reason = "no_credit"     // 402, or a quota that is used up
	NoModel      Reason = "no_model"      // 404: the provider has no model of that name
	NoProvider   Reason = "no_provider"   // something else than a model server answers there
	UnknownModel Reason = "unknown_model" // errand.yaml has no such model
	NoTools      Reason = "no_tools"      // the server takes no tools, or not in this way
	Rejected     Reason = "rejected"      // another refusal: 400
	TooLong      Reason = "too_long"      // the context window
	Filtered     Reason = "filtered"      // the provider's content filter
	NoConnection Reason = "no_connection" // nothing answers there
	UnknownHost  Reason = "unknown_host"  // the host name cannot be resolved
	Silent       Reason = "silent"        // connected, and no answer began in time
	Stalled      Reason = "stalled"       // the answer stood still
	BrokenOff    Reason = "broken_off"    // the connection ended in the middle of the answer
	Unavailable  Reason = "unavailable"   // 5xx
	TooMany      Reason = "too_many"      // 429
	Empty        Reason = "empty"         // there is nothing in the answer
	Garbage      Reason = "garbage"       // the answer cannot be read
)

// Why is the reason of e, or that of its status or kind where it has none.
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

// A Loss is what calls took and cost that brought no answer. A provider may
// charge for what it was given, also where its answer broke off; one that could
// not be reached, or said that it will not answer, does not.
type Loss struct {
	Took  time.Duration  // in the calls, not while waiting for a place; time in which this process did not run is left out
	Usage []errand.Usage // estimates
}

func (l *Loss) add(u errand.Usage) { l.Usage = append(l.Usage, u) }

// Lost returns what a call of [Client.Complete] took and cost that failed with
// err.
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

// An Error is why a model call failed. Its text holds no secret and nothing of
// what people or models wrote, so it may be logged and shown.
type Error struct {
	Kind       Kind
	Reason     Reason        // empty: see Why
	Provider   string        // which provider; empty: none was called
	Status     int           // HTTP status; 0: there was none
	RetryAfter time.Duration // not before that; 0: the provider did not say
	Message    string        // what a person can do about it, or at least understand
	Hint       Hint          // of Message, where that is errand's own
	Lost       Loss          // in all calls, of the other providers too

	tool string // the foreign tool that a provider's 400 names; empty: none
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

// elsewhere reports whether another provider is worth trying at once. A
// request that one server calls malformed or too long is not: the others would
// say the same, and the caller has to change it.
func (e *Error) elsewhere() bool {
	if e.Retryable() {
		return true
	}
	switch e.Status {
	case 401, 402, 403, 404, 429: // 429: a refusal for want of credit
		return e.Kind == Refused
	}
	return false
}
