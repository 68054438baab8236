package llm

import (
	"context"
	"time"
)

// A watch cancels a call that says nothing for too long; the context's cause
// tells which of the two limits it was. Its methods are called by the one
// goroutine that reads the stream.
type watch struct {
	cancel context.CancelCauseFunc
	first  *time.Timer
	idle   *time.Timer
	limit  time.Duration
}

// newWatch allows first until the first event, and idle between events.
func newWatch(parent context.Context, first, idle time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &watch{
		cancel: cancel,
		first:  time.AfterFunc(first, func() { cancel(errNoFirstToken) }),
		limit:  idle,
	}
}

func (w *watch) alive() {
	if w.idle != nil {
		w.idle.Reset(w.limit)
		return
	}
	w.first.Stop()
	w.idle = time.AfterFunc(w.limit, func() { w.cancel(errSilent) })
}

func (w *watch) stop() {
	w.first.Stop()
	if w.idle != nil {
		w.idle.Stop()
	}
	w.cancel(nil)
}
