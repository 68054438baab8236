package channels

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Backoff is the wait between failed attempts.
type Backoff struct {
	First, Longest time.Duration
}

// After returns the wait after a failure, 0 being the first in a row. The wait doubles each time,
// up to Longest, minus up to a quarter at random, so that clients do not all retry at once.
func (b Backoff) After(failures int) time.Duration {
	d := b.Longest
	if failures < 16 {
		d = min(d, b.First<<failures)
	}
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}

// Sleep waits for d. It is false if ctx ended first.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
