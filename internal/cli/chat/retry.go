package chat

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"errand/internal/cli/console"
)

type retry struct {
	*Conversation
	met       bool // the worker has responded before: it is worth waiting for
	confirmed bool // the worker has the message
	failures  int  // in a row
	since     time.Time
}

func (t *retry) success() {
	t.Trouble(nil)
	t.met, t.failures = true, 0
}

// failure waits and returns nil if a retry makes sense.
func (t *retry) failure(ctx context.Context, err error) error {
	var gone *console.ConnectError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !console.Retryable(err):
		return err
	case errors.As(err, &gone) && !gone.Sent && !t.met:
		return err // nothing was sent, and the worker has never responded
	}
	t.met = true
	if t.failures++; t.failures == 1 {
		// A single failure is normal for a stream; only repeated ones are reported.
		t.since = time.Now()
	} else {
		t.Trouble(err)
	}
	if t.Patience > 0 && time.Since(t.since) > t.Patience {
		if t.confirmed {
			err = &console.Failure{Code: console.ExitUnreachable, Text: fmt.Sprintf("%v; errand accepted the message, and the answer will come to the chat: errand chat --chat %q", err, t.Chat)}
		}
		return err
	}
	return t.wait(ctx, t.failures)
}

func seen(id, last string) bool {
	a, err1 := strconv.ParseInt(id, 10, 64)
	b, err2 := strconv.ParseInt(last, 10, 64)
	return err1 == nil && err2 == nil && a <= b
}
