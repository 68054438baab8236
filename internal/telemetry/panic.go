package telemetry

import (
	"errors"
	"log/slog"
	"runtime/debug"
)

// ErrPanic is the error of work that panicked.
var ErrPanic = errors.New("a fault in errand: it panicked, and its log has the stack")

// RecoverPanic recovers a panic, logs it with its stack, and sets *err to [ErrPanic] unless err is
// nil. A fault in one request then does not end the process. net/http recovers only in the
// goroutine of a request; each goroutine that a handler or a library starts needs its own call.
// Defer it directly: defer telemetry.RecoverPanic(…).
func RecoverPanic(log *slog.Logger, what string, err *error) {
	v := recover()
	if v == nil {
		return
	}
	log.Error("panic in "+what, "panic", v, "stack", string(debug.Stack()))
	if err != nil {
		*err = ErrPanic
	}
}
