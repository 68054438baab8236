package discord

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels"
	"errand/internal/platform"
	"errand/internal/platform/discord"
)

// A spentError is that too many sessions were begun today.
type spentError struct{ after time.Duration }

func (e *spentError) Error() string { return "no session may be begun any more today" }

// An intakeError is that errand could not tell or commit something.
type intakeError struct{ err error }

func (e *intakeError) Error() string { return "messages cannot be taken in: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

// failed notes how a connection ended, and returns how long to wait.
func (r *run) failed(err error) time.Duration {
	s, wait := channels.Status{State: channels.Degraded}, r.pause(r.failures)
	r.failures++
	var no *discord.Error
	f := discord.Explain(err, r.Account)
	var code *websocket.CloseError
	var spent *spentError
	var intake *intakeError
	switch {
	case errors.Is(err, errReconnect), errors.Is(err, errSilent), errors.Is(err, errInvalid):
		s.Detail = err.Error()
		if errors.Is(err, errReconnect) && r.failures == 1 {
			return 0 // nothing is wrong
		}
	case errors.As(err, &intake):
		s.Detail = intake.Error()
	case errors.As(err, &spent):
		s.Detail, s.Advice = spent.Error(), "another program may use the same token: stop it, or reset the token at "+discord.Portal+", under Bot"+discord.NewToken(r.Account)
		wait = max(wait, spent.after)
	case errors.As(err, &no) && f.Kind == platform.LoggedOut:
		s = statusOf(f)
		r.session = session{}
	case errors.As(err, &no) && no.Status == 0:
		s.Detail = no.Error() // it was not reached at all
	case errors.As(err, &no):
		s.Detail = "Discord cannot be asked: " + no.Error()
		wait = max(wait, no.RetryAfter)
	case errors.As(err, &code):
		s.Detail = fmt.Sprintf("Discord closed the connection (%d)", code.Code)
		if known, ok := discord.ExplainClose(code.Code, r.Account); ok {
			s, f = statusOf(known), known
		}
		if code.Code >= 4003 && code.Code != 4008 || code.Code == websocket.CloseNormalClosure {
			r.session = session{}
		}
	default:
		s.Detail = "Discord cannot be reached: " + err.Error()
		if r.failures > 3 { // where to resume may be gone
			r.session = session{}
		}
	}
	if s.State == channels.LoggedOut {
		wait = max(wait, min(f.RetryAfter, 2*r.LongestPause))
	}
	r.report(s)
	return wait
}

func statusOf(f platform.Failure) channels.Status {
	s := channels.Status{State: channels.Degraded, Detail: f.Err.Error(), Advice: f.Advice}
	if f.Kind == platform.LoggedOut {
		s.State = channels.LoggedOut
	}
	return s
}

// report notes how the connection is. While messages cannot be committed it is
// degraded, however well it is connected.
func (r *run) report(s channels.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = s
	r.show()
}

// stuck notes what keeps a chat's messages from being taken in; nil: nothing.
func (r *run) stuck(chat string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, was := r.waiting[chat]
	if err == nil {
		delete(r.waiting, chat)
	} else {
		r.waiting[chat] = err
	}
	if was || err != nil {
		r.show()
	}
}

// show reports what is known. The caller holds mu.
func (r *run) show() {
	s := r.status
	if s.State == channels.Connected {
		if n := len(r.lost); n > 0 { // as far as this process has seen
			s.Detail += fmt.Sprintf("; taken out of %d server(s): invite the bot again if that was not meant", n)
		}
		for _, err := range r.waiting {
			s = channels.Status{State: channels.Degraded, Detail: err.Error()}
			break
		}
	}
	r.Set(s)
}
