package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// A trial is a request that is made until it succeeds.
type trial struct {
	*conversation
	met       bool // the worker is, or was, there: it is worth waiting for
	confirmed bool // the worker has the message
	failures  int  // in a row
	since     time.Time
}

func (t *trial) success() {
	t.trouble(nil)
	t.met, t.failures = true, 0
}

// failure waits and returns nil when another attempt makes sense.
func (t *trial) failure(ctx context.Context, err error) error {
	var gone *connectError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !again(err):
		return err
	case errors.As(err, &gone) && !gone.sent && !t.met:
		return err // nobody is there, and nothing can be lost
	}
	t.met = true
	if t.failures++; t.failures == 1 {
		t.since = time.Now() // a stream may end; only that it stays away is worth a word
	} else {
		t.trouble(err)
	}
	if t.patience > 0 && time.Since(t.since) > t.patience {
		if t.confirmed {
			err = &failure{unreachable, fmt.Sprintf("%v; the message is accepted, its answer will be in the chat: errand chat --chat %q", err, t.chat)}
		}
		return err
	}
	return t.wait(ctx, t.failures)
}

// again reports whether a request that failed with err may succeed later.
func again(err error) bool {
	var gone *connectError
	var no *refusal
	switch {
	case errors.As(err, &gone):
		return true
	case errors.As(err, &no):
		return no.status == http.StatusServiceUnavailable || no.status == http.StatusBadGateway || no.status == http.StatusGatewayTimeout
	}
	return false
}

// seen reports whether the event with this id was passed on before.
func seen(id, last string) bool {
	a, err1 := strconv.ParseInt(id, 10, 64)
	b, err2 := strconv.ParseInt(last, 10, 64)
	return err1 == nil && err2 == nil && a <= b
}
