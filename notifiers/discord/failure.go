package discord

import (
	"errors"
	"fmt"
	"time"

	"errand/internal/platform/discord"
	"errand/notifiers"
)

func refused(format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Outcome: notifiers.Refused, Err: fmt.Errorf(format, args...)}
}

func notSent(after time.Duration, format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

// explain says what became of a message.
func (a *account) explain(err error) *notifiers.SendError {
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return send
	}
	return notifiers.NewSendError(discord.Explain(err, a.name))
}
