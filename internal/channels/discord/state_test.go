package discord

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels"
)

func stateRun(log *bytes.Buffer) *run {
	c := &Channel{Options: Options{Pause: time.Second, LongestPause: 30 * time.Second}, StatusReporter: channels.NewStatusReporter(slog.New(slog.NewTextHandler(log, nil)), nil)}
	r := &run{Channel: c}
	r.report(channels.Status{State: channels.Connected})
	return r
}

// TestAdvice proves that an operator reads what to do, wherever there is something
// that a person has to, and that it is said once however often it is tried.
func TestAdvice(t *testing.T) {
	code := func(n int) error { return &websocket.CloseError{Code: n} }
	for _, tt := range []struct {
		name   string
		err    error
		state  channels.State
		advice string
	}{
		{"the token is not valid", code(4004), channels.LoggedOut, "Reset it at " + Portal + ", under Bot"},
		{"the token was reset", &Error{Status: http.StatusUnauthorized}, channels.LoggedOut, "Reset it at " + Portal + ", under Bot"},
		{"an intent is missing", code(4014), channels.LoggedOut, `switch on "Message Content Intent" at ` + Portal},
		{"too many servers", code(4011), channels.Degraded, "take it out of some"},
		{"an errand that is too old", code(4012), channels.Degraded, "a newer errand"},
		{"too many sessions", &spentError{time.Hour}, channels.Degraded, "another program may use the same token"},
		{"a fault of theirs", &Error{Status: http.StatusBadGateway}, channels.Degraded, ""},
	} {
		var log bytes.Buffer
		r := stateRun(&log)
		for range 100 {
			r.failed(tt.err)
		}
		s := r.Status()
		if s.State != tt.state || !strings.Contains(s.Advice, tt.advice) || (s.Advice == "") != (tt.advice == "") || s.Detail == "" {
			t.Errorf("%s: it is %+v", tt.name, s)
		}
		if n := strings.Count(log.String(), "level=WARN"); n != 1 {
			t.Errorf("%s: it is said %d times", tt.name, n)
		}
	}
}

// TestUnreachableForADay proves that a Discord that cannot be reached for a day is
// said once, and not asked more often than every half minute or so.
func TestUnreachableForADay(t *testing.T) {
	var log bytes.Buffer
	r, tried := stateRun(&log), 0
	for rested := time.Duration(0); rested < 24*time.Hour; tried++ {
		rested += r.failed(errors.New("no network"))
	}
	if s := r.Status(); s.State != channels.Degraded || !strings.Contains(s.Detail, "cannot be reached") {
		t.Errorf("it is %+v", s)
	}
	r.report(channels.Status{State: channels.Connected})
	if text := log.String(); strings.Count(text, "level=WARN") != 1 || !strings.Contains(text, "connected again") || tried > 4500 {
		t.Errorf("it was tried %d times; it is said:\n%s", tried, text)
	}
}
