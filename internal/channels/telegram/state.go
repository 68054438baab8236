package telegram

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"errand/internal/channels"
)

// An intakeError is that errand could not commit a message.
type intakeError struct{ err error }

func (e *intakeError) Error() string { return "take in a message: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

// loggedOutPause is how soon a token is tried again that Telegram does not know:
// it will not by itself.
const loggedOutPause = time.Minute

// failed notes what went wrong, and returns how long to wait.
func (c *Channel) failed(err error) time.Duration {
	s, wait := channels.Status{State: channels.Degraded, Detail: err.Error()}, c.pause()
	var no *apiError
	var intake *intakeError
	switch {
	case errors.As(err, &intake):
		s.Detail = "messages cannot be taken in: " + intake.err.Error()
	case !errors.As(err, &no):
		s.Detail = "Telegram cannot be reached: " + err.Error()
	case no.code == http.StatusUnauthorized || no.code == http.StatusNotFound:
		s.State, s.Detail = channels.LoggedOut, fmt.Sprintf("Telegram does not know the token (%d)", no.code)
		s.Advice = "it is mistyped, or was revoked. Ask @BotFather for it with /token, give it to " + channels.SetUp("telegram", c.Account) + ", and restart the worker"
		wait = max(wait, min(loggedOutPause, 2*c.LongestPause))
	case byWebhook(err):
		s.Advice = "another program sets a webhook for this bot, and gets its messages: stop it, or revoke the token with @BotFather"
	case no.code == http.StatusConflict:
		s.State = channels.Replaced
		s.Advice = "another program polls with the same token, and each ends the other's poll. Stop it; if you do not know what it is, revoke the token with @BotFather"
		wait = max(wait, min(5*time.Second, c.LongestPause))
	case no.retryAfter > 0:
		wait = max(wait, no.retryAfter)
	}
	c.Set(s)
	return wait
}

// byWebhook reports whether Telegram has no updates for us because it delivers
// them to a webhook.
func byWebhook(err error) bool {
	var no *apiError
	return errors.As(err, &no) && no.code == http.StatusConflict && strings.Contains(strings.ToLower(no.text), "webhook")
}
