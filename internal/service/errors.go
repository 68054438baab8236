package service

import (
	"errors"
	"fmt"
	"net/http"

	"errand/internal/store"
	"errand/internal/texts"
)

// An Error is for the person who asked: what was wrong, and what to do.
type Error struct {
	Status  int    // as an HTTP status
	Code    string // for programs: "empty", "too_large", "not_found" …
	Message string
}

func (e *Error) Error() string { return e.Message }

// HTTPStatus is for the API.
func (e *Error) HTTPStatus() int { return e.Status }

// ErrorCode is for the API.
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
	return &Error{http.StatusBadRequest, code, fmt.Sprintf(format, args...)}
}

// Known turns the store's answers about a name that a person gave into an
// Error; anything else stays what it is.
func Known(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return &Error{http.StatusNotFound, "not_found", err.Error()}
	case errors.Is(err, store.ErrAmbiguous):
		return &Error{http.StatusConflict, "ambiguous", err.Error()}
	case errors.Is(err, store.ErrClosed):
		return &Error{http.StatusConflict, "closed", err.Error()}
	}
	return err
}
