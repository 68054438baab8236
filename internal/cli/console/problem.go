package console

import (
	"errors"
	"fmt"
	"net/http"

	"errand/api"
)

// WithHint adds to a "not found" error the command that lists valid names.
func (w *Worker) WithHint(err error, where string) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Status != http.StatusNotFound || no.Code != "not_found" {
		return err
	}
	return &api.Problem{Status: no.Status, Code: no.Code, Message: no.Message + " (see errand " + where + ")"}
}

// A ConnectError means that the worker could not be reached, or stopped responding.
type ConnectError struct {
	Base string
	Sent bool // the request may have arrived
	Err  error
}

func (e *ConnectError) Error() string {
	if e.Sent {
		return fmt.Sprintf("the connection to errand at %s broke: %v", e.Base, e.Err)
	}
	return fmt.Sprintf("errand does not answer at %s: start it with `errand serve`, or give its address with --server", e.Base)
}

func (e *ConnectError) Unwrap() error { return e.Err }

// IsNotFound reports whether err means that the requested object does not exist.
func IsNotFound(err error) bool {
	var no *api.Problem
	return errors.As(err, &no) && no.Status == http.StatusNotFound
}

// Retryable reports whether a retry after err may succeed.
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
