package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/llm"
	"errand/internal/store"
	"errand/notifiers"
)

// Types of the failures that workflows tell apart.
const (
	failClosed = "closed"
	failPaused = "paused"
)

const busyRetry = 500 * time.Millisecond

// ErrNoConnection says that an account is not configured in this process. In
// another it may be: they are not all started at the same moment.
var ErrNoConnection = errors.New("the account is not configured here")

var errElsewhere = errors.New("another worker has the account")

// failed turns err into what Temporal is told: whether another attempt is worth
// it, and when. It is the only place that decides this. The message must not
// carry a person's words.
func failed(err error) error {
	var model *llm.Error
	var send *notifiers.SendError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, store.ErrBusy), errors.Is(err, errElsewhere):
		return temporal.NewApplicationErrorWithOptions(err.Error(), "busy",
			temporal.ApplicationErrorOptions{NextRetryDelay: busyRetry})
	case errors.Is(err, errCrowdedTurns):
		return temporal.NewApplicationErrorWithOptions(err.Error(), "busy",
			temporal.ApplicationErrorOptions{NextRetryDelay: crowdedTurnsPause})
	case errors.Is(err, store.ErrEnded):
		// Nobody told the workflow. It must not take this for a turn that was
		// closed and try the next one: it fails, and the next signal starts
		// one that finds out which session there is now.
		return temporal.NewNonRetryableApplicationError("the session has ended", "ended", nil)
	case errors.Is(err, store.ErrClosed):
		return temporal.NewNonRetryableApplicationError("closed: stopped, canceled or finished", failClosed, nil)
	case errors.Is(err, store.ErrPaused):
		return temporal.NewNonRetryableApplicationError("paused", failPaused, nil)
	case errors.Is(err, store.ErrNotFound):
		return temporal.NewNonRetryableApplicationError(err.Error(), "not-found", nil)
	case errors.As(err, &model):
		return temporal.NewApplicationErrorWithOptions(model.Error(), "model", temporal.ApplicationErrorOptions{
			NonRetryable: !model.Retryable(), NextRetryDelay: model.RetryAfter})
	case errors.As(err, &send):
		return temporal.NewApplicationErrorWithOptions(send.Error(), "send", temporal.ApplicationErrorOptions{
			NextRetryDelay: send.RetryAfter})
	default:
		return temporal.NewApplicationError(err.Error(), "errand")
	}
}

// again is what Temporal is told of a model call that is to be made again after a
// pause.
func again(err error, pause time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), "model", temporal.ApplicationErrorOptions{NextRetryDelay: pause})
}

// IsClosed reports whether err is an activity's refusal to work for a turn or
// task that is closed.
func IsClosed(err error) bool { return isType(err, failClosed) }

// IsPaused reports whether err says that the installation was paused.
func IsPaused(err error) bool { return isType(err, failPaused) }

func isType(err error, typ string) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == typ
}
