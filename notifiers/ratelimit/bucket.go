package ratelimit

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// A bucket is what goes to one chat, or from the whole account. All but its turn
// is guarded by the limiter.
type bucket struct {
	turn   chan struct{} // full while somebody is next; who waits for it is served in order
	queue  int           // how many wait, or are next
	limits []*rate.Limiter
	every  time.Duration // of the slowest limit
	until  time.Time     // paused
}

func newBucket(limits []Limit) *bucket {
	l := &bucket{turn: make(chan struct{}, 1)}
	for _, limit := range limits {
		if limit.Every <= 0 {
			continue
		}
		l.limits = append(l.limits, rate.NewLimiter(rate.Every(limit.Every), max(1, limit.Burst)))
		if limit.Burst <= 1 { // with a burst, who knows
			l.every = max(l.every, limit.Every)
		}
	}
	return l
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

// almost one: limits count in floating point.
const almost = 1 - 1e-6

// delay is how long it is until one more may go.
func (l *bucket) delay(now time.Time) time.Duration {
	d := l.until.Sub(now)
	for _, limit := range l.limits {
		if tokens := limit.TokensAt(now); tokens < almost {
			d = max(d, time.Duration((1-tokens)/float64(limit.Limit())*float64(time.Second))+1)
		}
	}
	return max(0, d)
}

func (l *bucket) count(now time.Time) {
	for _, limit := range l.limits {
		limit.ReserveN(now, 1)
	}
}

func (l *bucket) pause(until time.Time) {
	if until.After(l.until) {
		l.until = until
	}
}

// full reports whether nothing of late is held against the bucket.
func (l *bucket) full(now time.Time) bool {
	for _, limit := range l.limits {
		if limit.TokensAt(now) < float64(limit.Burst())-1e-6 {
			return false
		}
	}
	return !l.until.After(now)
}
