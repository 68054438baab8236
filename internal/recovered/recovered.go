// Package recovered turns a panic into an error and a line of the log, so that a fault in
// one request does not end the process.
//
// net/http does that for the goroutine of a request only. Each goroutine that a handler or
// a library starts needs its own.
package recovered

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is the error of work that has panicked.
var ErrPanic = errors.New("a fault in errand: it panicked, and its log has the stack")

// Panic ends a panic, if there is one: it logs the panic and the stack, and sets *err to
// [ErrPanic] unless err is nil. It has to be deferred itself: defer recovered.Panic(…).
func Panic(log *slog.Logger, what string, err *error) {
	v := recover()
	if v == nil {
		return
	}
	log.Error("panic in "+what, "panic", v, "stack", string(debug.Stack()))
	if err != nil {
		*err = ErrPanic
	}
}
