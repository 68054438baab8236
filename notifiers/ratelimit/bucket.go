package ratelimit

import (
	"context"
	"time"

	"errand/internal/limit"
)

// A bucket is what goes to one chat, or from the whole account. All but its turn
// is guarded by the limiter.
type bucket struct {
	*limit.Meter
	turn  chan struct{} // full while somebody is next; who waits for it is served in order
	queue int           // how many wait, or are next
	until time.Time     // paused
}

func newBucket(limits []Limit) *bucket {
	return &bucket{Meter: limit.NewMeter(limits...), turn: make(chan struct{}, 1)}
}

// hold waits until it is the caller's turn.
func (l *bucket) hold(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctxError(ctx)
	}
}

func (l *bucket) release() { <-l.turn }

// delay is how long it is until one more may go.
func (l *bucket) delay(now time.Time) time.Duration {
	return max(0, l.until.Sub(now), l.Wait(now))
}

func (l *bucket) pause(until time.Time) {
	if until.After(l.until) {
		l.until = until
	}
}

// full reports whether nothing of late is held against the bucket.
func (l *bucket) full(now time.Time) bool { return l.Rested(now) && !l.until.After(now) }

// last is how long it takes until so many more have gone.
func (l *bucket) last(n int, now time.Time) time.Duration {
	paused := max(0, l.until.Sub(now))
	return paused + l.WaitFor(n, now.Add(paused))
}
