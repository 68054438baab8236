package telegram

import (
	"errors"
	"net/http"
	"strings"
	"time"
)

// A State is how a connection is.
type State string

// The states.
const (
	Connecting State = "connecting" // nothing has come through yet
	Connected  State = "connected"
	Degraded   State = "degraded"   // it does not work just now, and is tried again
	LoggedOut  State = "logged out" // a person has to do something first
)

// A Status is the state of a connection, for whoever runs it.
type Status struct {
	State  State
	Detail string // what is wrong, or as whom it is connected
	Advice string // what to do; empty: nothing
	Since  time.Time
}

// Status returns how the connection is. It is safe for concurrent use.
func (c *Channel) Status() Status {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status
}

// become notes a status, and says it if it is another than before: however long
// something does not work, it is said once.
func (c *Channel) become(s Status) {
	s.Since = time.Now()
	c.mu.Lock()
	old := c.status
	same := old.State == s.State && old.Advice == s.Advice
	if same {
		s.Since = old.Since
	}
	c.status = s
	c.mu.Unlock()
	if same && old.Detail == s.Detail {
		return
	}
	switch {
	case same: // it fails in another way: seen, not said
	case s.State == Connected && old.State == Connecting:
		c.Logger.Info("connected", "detail", s.Detail)
	case s.State == Connected:
		c.Logger.Info("connected again", "detail", s.Detail, "after", s.Since.Sub(old.Since).Round(time.Second).String())
	case s.State != Connecting:
		c.Logger.Warn("not connected", "state", string(s.State), "detail", s.Detail, "advice", s.Advice)
	}
	c.Changed(s)
}

// An intakeError is that errand could not commit a message.
type intakeError struct{ err error }

func (e *intakeError) Error() string { return "take in a message: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

// loggedOutPause is how soon a token is tried again that Telegram does not know:
// it will not by itself.
const loggedOutPause = time.Minute

// failed notes what went wrong, and returns how long to wait.
func (c *Channel) failed(err error) time.Duration {
	s, wait := Status{State: Degraded, Detail: err.Error()}, c.pause()
	var no *apiError
	var intake *intakeError
	switch {
	case errors.As(err, &intake):
		s.Detail = "messages cannot be taken in: " + intake.err.Error()
	case !errors.As(err, &no):
		s.Detail = "Telegram cannot be reached: " + err.Error()
	case no.code == http.StatusUnauthorized || no.code == http.StatusNotFound:
		s.State = LoggedOut
		s.Advice = "Telegram does not know this token: it is mistyped, or was revoked. Ask @BotFather for it with /token, and set it"
		wait = max(wait, min(loggedOutPause, 2*c.LongestPause))
	case no.code == http.StatusConflict && strings.Contains(strings.ToLower(no.text), "webhook"):
		s.Advice = "a webhook is set for this bot, and gets its messages. If nothing else uses it, remove it with the method deleteWebhook of the Bot API"
	case no.code == http.StatusConflict:
		s.Advice = "another program polls with the same token, and each ends the other's poll. Stop it; if you do not know what it is, revoke the token with @BotFather"
		wait = max(wait, min(5*time.Second, c.LongestPause))
	case no.retryAfter > 0:
		wait = max(wait, no.retryAfter)
	}
	c.become(s)
	return wait
}
