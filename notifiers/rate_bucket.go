package notifiers

import (
	"context"
	"time"

	"golang.org/x/time/rate"
)

// A RateLimit permits Burst messages at once, and then one per Every. Burst 0 means 1. Every 0
// means no limit.
type RateLimit struct {
	Every time.Duration
	Burst int
}

// A bucket counts the messages of one chat or of an account. The limiter's mutex guards all fields
// except turn.
type bucket struct {
	rates []*rate.Limiter
	last  time.Time     // when the last message was sent
	turn  chan struct{} // full while a message is next; the others wait in order
	queue int           // messages that wait, including the next one
	until time.Time     // end of the pause
}

func newBucket(limits ...RateLimit) *bucket {
	b := &bucket{turn: make(chan struct{}, 1)}
	for _, l := range limits {
		if l.Every > 0 {
			b.rates = append(b.rates, rate.NewLimiter(rate.Every(l.Every), max(1, l.Burst)))
		}
	}
	return b
}

func (b *bucket) hold(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctxError(ctx)
	}
}

func (b *bucket) release() { <-b.turn }

func (b *bucket) isPaused(now time.Time) bool { return b.until.After(now) }

func (b *bucket) take(now time.Time) {
	b.last = now
	for _, r := range b.rates {
		r.ReserveN(now, 1)
	}
}

func (b *bucket) delay(n int, now time.Time) time.Duration {
	pause := max(0, b.until.Sub(now))
	var wait time.Duration
	for _, r := range b.rates {
		if missing := float64(n) - r.TokensAt(now.Add(pause)); missing > 1e-6 { // less is a rounding error
			wait = max(wait, time.Duration(missing/float64(r.Limit())*float64(time.Second))+1)
		}
	}
	return pause + wait
}
