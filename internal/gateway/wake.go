package gateway

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"errand"
)

// What is accepted is in the store. Its sender does not wait for Temporal to hear
// of it: an account hands over its messages one after the other, and while Temporal
// is away each call takes until it is given up.
const (
	promptly    = time.Second      // how long a sender waits all the same: nearly always it is enough
	longestWake = 10 * time.Second // how long a call may take
	mostWakes   = 64               // how many are made at once
)

// errNotHeard says that Temporal has not answered yet. The watchdog makes up for it.
var errNotHeard = errors.New("no answer from Temporal just now")

// A waker makes calls that wake a workflow. The zero value is not usable.
type waker struct {
	away  atomic.Bool // the last call failed, or nobody has heard of it yet
	calls chan struct{}
}

func newWaker() *waker { return &waker{calls: make(chan struct{}, mostWakes)} }

// wake makes a call, and returns what came of it if that is known promptly: while
// Temporal is away, at once.
func (w *waker) wake(ctx context.Context, call func(context.Context) error) error {
	select {
	case w.calls <- struct{}{}:
	default:
		return errNotHeard
	}
	away := w.away.Load()
	done := make(chan error, 1)
	go func() {
		defer func() { <-w.calls }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestWake)
		defer cancel()
		err := call(ctx)
		w.away.Store(err != nil)
		done <- err
	}()
	if away {
		return errNotHeard
	}
	patience := time.NewTimer(promptly)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		w.away.Store(true)
		return errNotHeard
	case <-ctx.Done():
		return ctx.Err()
	}
}

// wakeSession tells a session that its inbox has a row, see [waker].
func (g *Gateway) wakeSession(ctx context.Context, key errand.SessionKey, row int64) error {
	return g.waker.wake(ctx, func(ctx context.Context) error { return g.WakeSession(ctx, key, row) })
}

// wake has what was just written to the outbox sent. If it cannot be done now, the
// watchdog does it.
func (g *Gateway) wake(ctx context.Context, r errand.Route) {
	err := g.waker.wake(ctx, func(ctx context.Context) error { return g.WakeOutbox(ctx, r) })
	if err != nil {
		g.Logger.Warn("delivery not woken; the watchdog will", "channel", r.Channel, "chat", r.Chat, "error", err)
	}
}
