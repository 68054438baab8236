package whatsapp

import (
	"time"

	"errand/notifiers"
)

const (
	notHere = 5 * time.Second // another process may hold the connection by then
	later   = 5 * time.Second
)

func down(format string, args ...any) *notifiers.SendError {
	send := notifiers.NotSentf(notHere, format, args...)
	send.AccountDown = true
	return send
}
