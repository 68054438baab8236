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

const (
	failClosed = "closed"
	failPaused = "paused"
)

const busyRetry = 500 * time.Millisecond

// ErrNoConnection means that an account is not configured in this process. Another process may have
// it configured, because processes do not restart at the same moment.
var ErrNoConnection = errors.New("the account is not configured here")

var errElsewhere = errors.New("another worker has the account")

// failed converts err into the error that Temporal records: whether to retry, and when. No other
// function decides this. The message must not contain a person's words, because it goes into
// Temporal's history.
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
	case errors.Is(err, errExpired): // at once, if no other worker has it yet
		return temporal.NewApplicationErrorWithOptions(err.Error(), "expired",
			temporal.ApplicationErrorOptions{NextRetryDelay: time.Millisecond})
	case errors.Is(err, errCrowdedTurns):
		return temporal.NewApplicationErrorWithOptions(err.Error(), "busy",
			temporal.ApplicationErrorOptions{NextRetryDelay: crowdedTurnsPause})
	case errors.Is(err, store.ErrEnded):
		// The workflow does not know that its session has ended. It must not take this for a closed
		// turn and begin the next turn. It fails, and the next signal starts a workflow that looks
		// up the current session.
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

func again(err error, pause time.Duration) error {
	return temporal.NewApplicationErrorWithOptions(err.Error(), "model", temporal.ApplicationErrorOptions{NextRetryDelay: pause})
}

// IsClosed reports whether an activity refused to work because its turn or task is closed.
func IsClosed(err error) bool { return isType(err, failClosed) }

// IsPaused reports whether err says that the installation was paused.
func IsPaused(err error) bool { return isType(err, failPaused) }

func isType(err error, typ string) bool {
	var app *temporal.ApplicationError
	return errors.As(err, &app) && app.Type() == typ
}
