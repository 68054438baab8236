package service

import (
	"errors"
	"fmt"

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
	KindTooMany         Kind = "too_many" // too often, or too many at a time: later it may be done
	KindTimeout         Kind = "timeout"  // whoever asks has taken too long to say what
	KindInternal        Kind = "internal" // errand is at fault
)

// An Error is for the person who asked: what was wrong, and what to do.
type Error struct {
	Kind    Kind
	Code    string // for programs: "empty", "too_large", "not_found" …
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrorCode is for programs, and says that the error is for whoever asked.
func (e *Error) ErrorCode() string { return e.Code }

// A spoken is an Error that people on platforms read in their own language.
type spoken struct {
	no   *Error
	key  string // of the text
	args []string
}

func (s *spoken) Error() string { return s.no.Message }
func (s *spoken) Unwrap() error { return s.no }

// Spoken is an error that people on platforms read in their own language: the text
// of key.
func Spoken(no *Error, key string, args ...string) error { return &spoken{no, key, args} }

// Say is what a person reads of an error.
func Say(err error, t texts.Texts) string {
	var s *spoken
	if errors.As(err, &s) {
		return t.Say(s.key, s.args...)
	}
	return err.Error()
}

// Invalid says what of a request makes no sense, and what would.
func Invalid(code, format string, args ...any) error {
	return &Error{KindInvalid, code, fmt.Sprintf(format, args...)}
}

// Known turns the store's answers about a name that a person gave into an
// Error; anything else stays what it is.
func Known(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &Error{KindNotFound, "not_found", err.Error()}
	case errors.Is(err, store.ErrAmbiguous):
		return &Error{KindConflict, "ambiguous", err.Error()}
	case errors.Is(err, store.ErrClosed):
		return &Error{KindConflict, "closed", err.Error()}
	}
	return err
}
