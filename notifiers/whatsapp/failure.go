package whatsapp

import (
	"time"

	"errand/notifiers"
)

// How soon it is tried again.
const (
	notHere = 5 * time.Second // somebody else may hold the connection by then
	later   = 5 * time.Second
)

func down(format string, args ...any) *notifiers.SendError {
	send := notifiers.NotSentf(notHere, format, args...)
	send.AccountDown = true
	return send
}
