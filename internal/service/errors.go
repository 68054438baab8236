package service

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/store"
	"errand/internal/texts"
)

// A Kind is what is the matter with what was asked for. Each door has its own way to
// say it: a status, a code of its protocol.
type Kind string

// The kinds.
const (
	KindInvalid         Kind = "invalid"         // it makes no sense, whoever asks
	KindUnauthenticated Kind = "unauthenticated" // nobody knows who asks
	KindForbidden       Kind = "forbidden"       // whoever asks may not
	KindNotFound        Kind = "not_found"       // there is no such thing, or not for whoever asks
	KindConflict        Kind = "conflict"        // it cannot be done as things are now
	KindTooLarge        Kind = "too_large"
	KindMediaType       Kind = "media_type" // what it brings is of a type that is not taken
	KindTooMany         Kind = "too_many"   // too often, or too many at a time: later it may be done
	KindTimeout         Kind = "timeout"    // whoever asks has taken too long to say what
	KindInternal        Kind = "internal"   // errand is at fault
	KindFull            Kind = "full"       // the store's disk is full
)

// An Error is for whoever asked: what was wrong, and what to do.
type Error struct {
	Kind    Kind
	Code    string // for programs: "empty", "too_large", "not_found" …
	Message string // in English, which programs and logs read
	// RetryAfter is when it may be asked for again; zero: it does not say.
	RetryAfter time.Duration

	text texts.Key // people read it in their own language; empty: they read Message
	args []any     // names and values of its placeholders, in turn
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is for programs, and says that the error is for whoever asked.
func (e *Error) ErrorCode() string { return e.Code }

// Text is what a person reads of the error.
func (e *Error) Text(t texts.Texts) string {
	if e.text == "" {
		return e.Message
	}
	return t.Fill(e.text, e.args...)
}

// IsFull reports whether err is that the disk of the store is full.
func IsFull(err error) bool { return store.IsFull(err) }

// Refuse makes an Error of a text. A value among args may be a [texts.Key].
func Refuse(kind Kind, code string, text texts.Key, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: texts.Shipped().Fill(text, args...), text: text, args: args}
}

// TooMany refuses what may be done again after a while.
func TooMany(code string, retryAfter time.Duration, text texts.Key, args ...any) *Error {
	no := Refuse(KindTooMany, code, text, args...)
	no.RetryAfter = retryAfter
	return no
}

// Invalid says what of a request makes no sense, and what would.
func Invalid(code string, text texts.Key, args ...any) error {
	return Refuse(KindInvalid, code, text, args...)
}

// Forbidden says what somebody may not do.
func Forbidden(text texts.Key, args ...any) error {
	return Refuse(KindForbidden, "forbidden", text, args...)
}

func conflict(code string, text texts.Key, args ...any) error {
	return Refuse(KindConflict, code, text, args...)
}

// A chatError is an Error that has other words in a chat than elsewhere.
type chatError struct {
	no   *Error
	text texts.Key
	args []any
}

func (s *chatError) Error() string { return s.no.Message }
func (s *chatError) Unwrap() error { return s.no }

// InChat is an error that has words of its own for a chat: the text, in which errand
// speaks of itself.
func InChat(no *Error, text texts.Key, args ...any) error { return &chatError{no, text, args} }

// ErrorText is what a person reads of an error in a chat.
func ErrorText(err error, t texts.Texts) string {
	var s *chatError
	var no *Error
	switch {
	case errors.As(err, &s):
		return t.Fill(s.text, s.args...)
	case errors.As(err, &no) && no.text != "":
		return t.Sentence(no.text, no.args...)
	}
	return err.Error()
}

// Known turns the store's answers about a name that a person gave into an
// Error; anything else stays what it is.
func Known(err error) error {
	no := &Error{Message: fmt.Sprint(err)}
	switch {
	case errors.Is(err, store.ErrNotFound):
		no.Kind, no.Code, no.text = KindNotFound, "not_found", "refusal.not_found"
	case errors.Is(err, store.ErrAmbiguous):
		no.Kind, no.Code, no.text = KindConflict, "ambiguous", "refusal.ambiguous"
	case errors.Is(err, store.ErrClosed):
		no.Kind, no.Code, no.text = KindConflict, "closed", "refusal.closed"
		return no
	default:
		return err
	}
	var about *store.LookupError
	if !errors.As(err, &about) {
		no.text = "refusal.not_there"
		return no
	}
	no.args = []any{"thing", texts.Key("thing." + strings.ReplaceAll(about.Thing, " ", "_")), "name", about.Name}
	if no.Kind == KindConflict {
		no.args = append(no.args, "some", strings.Join(about.Fits, ", "))
	}
	return no
}
