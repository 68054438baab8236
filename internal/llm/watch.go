package llm

import (
	"context"
	"time"
)

// A watch cancels a call that is silent for too long. The cause of the context says which
// limit was exceeded. Only the goroutine that reads the stream calls its methods.
type watch struct {
	cancel   context.CancelCauseFunc
	first    *time.Timer
	idle     *time.Timer
	limits   [2]time.Duration // for first and idle
	thinking bool             // the model reports that it reasons: the limit for the first event applies again
}

func newWatch(parent context.Context, first, idle time.Duration) (context.Context, *watch) {
	ctx, cancel := context.WithCancelCause(parent)
	return ctx, &watch{
		cancel: cancel,
		first:  time.AfterFunc(first, func() { cancel(errNoFirstToken) }),
		limits: [2]time.Duration{first, idle},
	}
}

func (w *watch) think(thinking bool) {
	if w.thinking == thinking {
		return
	}
	w.thinking = thinking
	w.alive()
}

func (w *watch) alive() {
	if w.thinking {
		if w.idle != nil {
			w.idle.Stop()
		}
		w.first.Reset(w.limits[0])
		return
	}
	w.first.Stop()
	if w.idle != nil {
		w.idle.Reset(w.limits[1])
		return
	}
	w.idle = time.AfterFunc(w.limits[1], func() { w.cancel(errSilent) })
}

func (w *watch) stop() {
	w.first.Stop()
	if w.idle != nil {
		w.idle.Stop()
	}
	w.cancel(nil)
}
