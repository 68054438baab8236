package channels

import (
	"context"
	"math/rand/v2"
	"time"
)

// A Backoff is how long to wait between attempts that fail.
type Backoff struct {
	First, Longest time.Duration
}

// After is how long to wait after so many failures in a row, 0 being the first:
// doubled each time, up to the longest, and up to a quarter less at random, so that
// not everybody comes back at once.
func (b Backoff) After(failures int) time.Duration {
	d := b.Longest
	if failures < 16 {
		d = min(d, b.First<<failures)
	}
	return d - time.Duration(rand.Int64N(int64(d)/4+1))
}

// Sleep waits for a while; false if ctx ended meanwhile.
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
