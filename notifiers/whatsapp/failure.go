package whatsapp

import (
	"fmt"
	"time"

	"errand/notifiers"
)

// How soon it is tried again.
const (
	notHere = 5 * time.Second // somebody else may hold the connection by then
	later   = 5 * time.Second
)

func refused(format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Outcome: notifiers.Refused, Err: fmt.Errorf(format, args...)}
}

func notSent(after time.Duration, format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

// down says that the account cannot send just now, wherever to.
func down(format string, args ...any) *notifiers.SendError {
	send := notSent(notHere, format, args...)
	send.AccountDown = true
	return send
}
