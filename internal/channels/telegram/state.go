package telegram

import (
	"errors"
	"time"

	"errand/internal/channels"
	"errand/internal/platform"
	"errand/internal/platform/telegram"
)

// An intakeError is that errand could not commit a message.
type intakeError struct{ err error }

func (e *intakeError) Error() string { return "take in a message: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

// failed notes what went wrong, and returns how long to wait.
func (c *Channel) failed(err error) time.Duration {
	f := telegram.Explain(err, c.Account)
	s, wait := channels.Status{State: channels.Degraded, Detail: err.Error(), Advice: f.Advice}, c.pause()
	var no *telegram.Error
	var intake *intakeError
	switch {
	case errors.As(err, &intake):
		s.Detail = "messages cannot be taken in: " + intake.err.Error()
	case !errors.As(err, &no):
		s.Detail = "Telegram cannot be reached: " + err.Error()
	case f.Kind == platform.LoggedOut: // it will not be known by itself
		s.State, s.Detail = channels.LoggedOut, f.Err.Error()
		wait = max(wait, min(f.RetryAfter, 2*c.LongestPause))
	case f.Kind == platform.Replaced:
		s.State = channels.Replaced
		wait = max(wait, min(5*time.Second, c.LongestPause))
	case no.RetryAfter > 0:
		wait = max(wait, no.RetryAfter)
	}
	c.Set(s)
	return wait
}

// byWebhook reports whether Telegram has no updates for us because it delivers
// them to a webhook.
func byWebhook(err error) bool {
	var no *telegram.Error
	return errors.As(err, &no) && no.ByWebhook()
}
