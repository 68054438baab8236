package telegram

import (
	"errors"
	"time"

	"errand/internal/channels"
	"errand/notifiers"
)

type intakeError struct{ err error }

func (e *intakeError) Error() string { return "take in a message: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

func (c *Channel) failed(err error) time.Duration {
	f := Explain(err, c.Account)
	s, wait := channels.Status{State: channels.Degraded, Detail: err.Error(), Advice: f.Advice}, c.pause()
	var no *Error
	var intake *intakeError
	switch {
	case errors.As(err, &intake):
		s.Detail = "messages cannot be taken in: " + intake.err.Error()
	case !errors.As(err, &no):
		s.Detail = "Telegram cannot be reached: " + err.Error()
	case f.Kind == notifiers.FailureLoggedOut: // a new token is needed
		s.State, s.Detail = channels.LoggedOut, f.Err.Error()
		wait = max(wait, min(f.RetryAfter, 2*c.LongestPause))
	case f.Kind == notifiers.FailureReplaced:
		s.State = channels.Replaced
		wait = max(wait, min(5*time.Second, c.LongestPause))
	case no.RetryAfter > 0:
		wait = max(wait, no.RetryAfter)
	}
	c.Set(s)
	return wait
}

func byWebhook(err error) bool {
	var no *Error
	return errors.As(err, &no) && no.ByWebhook()
}
