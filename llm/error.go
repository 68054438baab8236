package llm

import (
	"fmt"
	"time"
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

// An Error is why a model call failed. Its text holds no secret and nothing of
// what people or models wrote, so it may be logged and shown.
type Error struct {
	Kind       Kind
	Provider   string        // which provider; empty: none was called
	Status     int           // HTTP status; 0: there was none
	RetryAfter time.Duration // not before that; 0: the provider did not say
	Message    string        // what a person can do about it, or at least understand
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
