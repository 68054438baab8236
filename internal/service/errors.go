package service

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/internal/store"
	"errand/internal/texts"
)

// A Kind classifies a refusal. Each door has its own status or code for it.
type Kind string

// The kinds.
const (
	KindInvalid         Kind = "invalid"         // invalid for any caller
	KindUnauthenticated Kind = "unauthenticated" // the caller is unknown
	KindForbidden       Kind = "forbidden"       // the caller may not do it
	KindNotFound        Kind = "not_found"       // it does not exist, or the caller may not see it
	KindConflict        Kind = "conflict"        // not possible in the current state
	KindTooLarge        Kind = "too_large"
	KindMediaType       Kind = "media_type" // the request has an unsupported media type
	KindTooMany         Kind = "too_many"   // too often or too many at a time; a later retry may succeed
	KindTimeout         Kind = "timeout"    // the caller was too slow to send the request
	KindInternal        Kind = "internal"   // errand is at fault
	KindFull            Kind = "full"       // the store's disk is full
)

// An Error tells the caller what was wrong and what to do.
type Error struct {
	Kind    Kind
	Code    string // for programs: "empty", "too_large", "not_found" …
	Message string // in English, for programs and logs
	// RetryAfter is how long to wait before a retry; zero: unknown.
	RetryAfter time.Duration

	text texts.Key // what people read in their language; empty: Message
	args []any     // alternating names and values of its placeholders
}

func (e *Error) Error() string { return e.Message }

// ErrorCode returns Code. It marks an error that is for the caller.
func (e *Error) ErrorCode() string { return e.Code }

// Text returns the error in the language of t.
func (e *Error) Text(t texts.Texts) string {
	if e.text == "" {
		return e.Message
	}
	return t.Fill(e.text, e.args...)
}

// Sentence returns the error as a sentence in the language of t.
func (e *Error) Sentence(t texts.Texts) string {
	if e.text == "" {
		return e.Message
	}
	return t.Sentence(e.text, e.args...)
}

// IsRefusal reports whether an error is for the caller.
func IsRefusal(err error) bool { return errors.As(err, new(*Error)) }

// IsFull reports whether err means that the disk of the store is full.
func IsFull(err error) bool { return store.IsFull(err) }

// Refuse returns an Error with a text. A value among args may be a [texts.Key].
func Refuse(kind Kind, code string, text texts.Key, args ...any) *Error {
	return &Error{Kind: kind, Code: code, Message: texts.Shipped().Fill(text, args...), text: text, args: args}
}

// TooMany refuses a request that may succeed after a while.
func TooMany(code string, retryAfter time.Duration, text texts.Key, args ...any) *Error {
	no := Refuse(KindTooMany, code, text, args...)
	no.RetryAfter = retryAfter
	return no
}

// Invalid refuses a request that is wrong in any state. The text says what would be right.
func Invalid(code string, text texts.Key, args ...any) error {
	return Refuse(KindInvalid, code, text, args...)
}

// badRequest refuses input that only programs send. Its text is for developers.
func badRequest(code, format string, args ...any) error {
	return &Error{Kind: KindInvalid, Code: code, Message: fmt.Sprintf(format, args...)}
}

// Forbidden refuses what the actor may not do.
func Forbidden(text texts.Key, args ...any) error {
	return Refuse(KindForbidden, "forbidden", text, args...)
}

func conflict(code string, text texts.Key, args ...any) error {
	return Refuse(KindConflict, code, text, args...)
}

// A chatError is an Error with other words for chats.
type chatError struct {
	no   *Error
	text texts.Key
	args []any
}

func (s *chatError) Error() string { return s.no.Message }
func (s *chatError) Unwrap() error { return s.no }

// InChat returns the error no, with another text for chats.
func InChat(no *Error, text texts.Key, args ...any) error { return &chatError{no, text, args} }

// ErrorText returns the text of an error for a chat.
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

// Known turns the store's errors about names, such as ErrNotFound, into an [*Error]. It returns
// other errors unchanged.
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
