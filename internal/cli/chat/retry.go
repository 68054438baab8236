package chat

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// A retry is a request that is made until it succeeds.
type retry struct {
	*Conversation
	met       bool // the worker is, or was, there: it is worth waiting for
	confirmed bool // the worker has the message
	failures  int  // in a row
	since     time.Time
}

func (t *retry) success() {
	t.Trouble(nil)
	t.met, t.failures = true, 0
}

// failure waits and returns nil when another attempt makes sense.
func (t *retry) failure(ctx context.Context, err error) error {
	var gone *client.ConnectError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case !client.Retryable(err):
		return err
	case errors.As(err, &gone) && !gone.Sent && !t.met:
		return err // nobody is there, and nothing can be lost
	}
	t.met = true
	if t.failures++; t.failures == 1 {
		t.since = time.Now() // a stream may end; only that it stays away is worth a word
	} else {
		t.Trouble(err)
	}
	if t.Patience > 0 && time.Since(t.since) > t.Patience {
		if t.confirmed {
			err = &console.Failure{Code: console.ExitUnreachable, Text: t.Words.Say("{why}; the message is accepted, its answer will be in the chat: errand chat --chat {chat}", "why", err.Error(), "chat", strconv.Quote(t.Chat))}
		}
		return err
	}
	return t.wait(ctx, t.failures)
}

// seen reports whether the event with this id was passed on before.
func seen(id, last string) bool {
	a, err1 := strconv.ParseInt(id, 10, 64)
	b, err2 := strconv.ParseInt(last, 10, 64)
	return err1 == nil && err2 == nil && a <= b
}
