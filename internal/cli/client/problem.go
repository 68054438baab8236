package client

import (
	"errors"
	"net/http"

	api "errand/client"
	"errand/internal/cli/words"
)

// WithHint adds to err, where it says that a name means nothing, where names are
// found.
func (w *Worker) WithHint(err error, where string) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Status != http.StatusNotFound || no.Code != "not_found" {
		return err
	}
	return &api.Problem{Status: no.Status, Code: no.Code, Message: no.Message + w.Words.Sayf("; see errand %s", where)}
}

// A ConnectError means that the worker was not reached, or stopped answering.
type ConnectError struct {
	Base string
	Sent bool // the request may have reached it
	Err  error
	// Words is the language of whoever reads it.
	Words words.Language
}

// InLanguage is err for somebody who reads another language by now than when they asked.
func InLanguage(err error, l words.Language) error {
	var gone *ConnectError
	if !errors.As(err, &gone) || gone.Words == l {
		return err
	}
	again := *gone
	again.Words = l
	return &again
}

func (e *ConnectError) Error() string {
	if e.Sent {
		return e.Words.Say("errand at {base} broke off: {why}", "base", e.Base, "why", e.Err.Error())
	}
	return e.Words.Say("errand does not answer at {base}: start it with `go run ./worker`, or say where it is with --server", "base", e.Base)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// IsNotFound reports whether what was asked for is not there.
func IsNotFound(err error) bool {
	var no *api.Problem
	return errors.As(err, &no) && no.Status == http.StatusNotFound
}

// Retryable reports whether a request that failed with err may succeed later.
func Retryable(err error) bool {
	var gone *ConnectError
	var no *api.Problem
	switch {
	case errors.As(err, &gone):
		return true
	case errors.As(err, &no):
		return no.Status == http.StatusServiceUnavailable || no.Status == http.StatusBadGateway || no.Status == http.StatusGatewayTimeout
	}
	return false
}
