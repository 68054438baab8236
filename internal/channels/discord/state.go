package discord

import (
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels"
	"errand/notifiers"
)

type spentError struct{ after time.Duration }

func (e *spentError) Error() string { return "no session may be begun any more today" }

type intakeError struct{ err error }

func (e *intakeError) Error() string { return "messages cannot be taken in: " + e.err.Error() }
func (e *intakeError) Unwrap() error { return e.err }

func (r *run) failed(err error) time.Duration {
	s, wait := channels.Status{State: channels.Degraded}, r.pause(r.failures)
	r.failures++
	var no *Error
	f := Explain(err, r.Account)
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
		s.Detail, s.Advice = spent.Error(), "another program may use the same token: stop it, or reset the token at "+Portal+", under Bot"+NewToken(r.Account)
		wait = max(wait, spent.after)
	case errors.As(err, &no) && f.Kind == notifiers.FailureLoggedOut:
		s = statusOf(f)
		r.session = session{}
	case errors.As(err, &no) && no.Status == 0:
		s.Detail = no.Error() // Discord was not reached
	case errors.As(err, &no):
		s.Detail = "Discord cannot be asked: " + no.Error()
		wait = max(wait, no.RetryAfter)
	case errors.As(err, &code):
		s.Detail = fmt.Sprintf("Discord closed the connection (%d)", code.Code)
		if known, ok := ExplainClose(code.Code, r.Account); ok {
			s, f = statusOf(known), known
		}
		if code.Code >= 4003 && code.Code != 4008 || code.Code == websocket.CloseNormalClosure {
			r.session = session{}
		}
	default:
		s.Detail = "Discord cannot be reached: " + err.Error()
		if r.failures > 3 { // the URL to resume at may be invalid
			r.session = session{}
		}
	}
	if s.State == channels.LoggedOut {
		wait = max(wait, min(f.RetryAfter, 2*r.LongestPause))
	}
	r.report(s)
	return wait
}

func statusOf(f notifiers.Failure) channels.Status {
	s := channels.Status{State: channels.Degraded, Detail: f.Err.Error(), Advice: f.Advice}
	if f.Kind == notifiers.FailureLoggedOut {
		s.State = channels.LoggedOut
	}
	return s
}

// report shows the state Degraded while messages cannot be committed.
func (r *run) report(s channels.Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = s
	r.show()
}

// stuck records the error that keeps a chat from committing messages; nil: no error.
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

// show requires that the caller holds mu.
func (r *run) show() {
	s := r.status
	if s.State == channels.Connected {
		if n := len(r.lost); n > 0 { // servers that this process saw
			s.Detail += fmt.Sprintf("; taken out of %d server(s): invite the bot again if that was not meant", n)
		}
		for _, err := range r.waiting {
			s = channels.Status{State: channels.Degraded, Detail: err.Error()}
			break
		}
	}
	r.Set(s)
}
