package cli

import (
	"errors"
	"fmt"
	"net/http"
)

// An exitCode tells scripts what became of a command. 0 is success.
type exitCode int

const (
	failed      exitCode = 1 // the thing itself failed
	usage       exitCode = 2 // the command line was not understood
	unreachable exitCode = 3 // the worker does not answer
)

// A failure ends a command. An empty text means that everything has been said.
type failure struct {
	code exitCode
	text string
}

func (f *failure) Error() string { return f.text }

func failf(format string, args ...any) error {
	return &failure{failed, fmt.Sprintf(format, args...)}
}

// A refusal is an error that the worker answered: {"error": {"code", "message"}}.
type refusal struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Message }

// seek adds to err, where it says that a name means nothing, where names are
// found.
func seek(err error, where string) error {
	var no *refusal
	if !errors.As(err, &no) || no.status != http.StatusNotFound || no.Code != "not_found" {
		return err
	}
	return &refusal{no.status, no.Code, no.Message + "; see errand " + where}
}

// A connectError means that the worker was not reached, or stopped answering.
type connectError struct {
	base string
	sent bool // the request may have reached it
	err  error
}

func (e *connectError) Error() string {
	if e.sent {
		return fmt.Sprintf("errand at %s broke off: %v", e.base, e.err)
	}
	return fmt.Sprintf("errand does not answer at %s: start it with `go run ./worker`, or say where it is with --server", e.base)
}

func (e *connectError) Unwrap() error { return e.err }

// isGone reports whether what was asked for is not there.
func isGone(err error) bool {
	var no *refusal
	return errors.As(err, &no) && no.status == http.StatusNotFound
}
