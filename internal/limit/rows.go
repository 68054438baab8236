package limit

import (
	"context"
	"slices"
	"time"
)

// Rows count what happens in all processes of an installation: one row for each bucket, which
// begins anew when the time in which the bucket fills is over. Nothing is given back to a row:
// a message that is delivered again counts again. [*store.Store] implements it.
type Rows interface {
	// CountRates counts one in each bucket. If one has its Burst already, it counts nothing, and
	// returns the key of that bucket and the time until it begins anew.
	CountRates(ctx context.Context, buckets []Bucket) (full string, wait time.Duration, err error)
	// RateWait returns how long CountRates would say to wait. It counts nothing.
	RateWait(ctx context.Context, buckets []Bucket) (wait time.Duration, err error)
}

// rowsTimeout is how long Rows may take. After it this process decides alone.
const rowsTimeout = time.Second

// allowShared counts in Rows. The token of a full bucket stays taken here, so that a caller who
// goes on trying is soon refused without asking Rows.
func (l *Limiter) allowShared(t *Tokens, buckets []Bucket) (wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	full, wait, err := l.Rows.CountRates(ctx, buckets)
	if err != nil {
		l.warnUnreachable(err)
		return 0
	}
	if wait > 0 {
		t.from = slices.DeleteFunc(t.from, func(taken token) bool { return taken.key == full })
		l.Refund(t)
	}
	return wait
}

func (l *Limiter) waitShared(buckets []Bucket) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	wait, err := l.Rows.RateWait(ctx, buckets)
	if err != nil {
		l.warnUnreachable(err)
		return 0
	}
	return wait
}

func (l *Limiter) warnUnreachable(err error) {
	if l.Logger != nil {
		l.Logger.Warn("rates are limited in this process alone: the counters of all workers cannot be reached", "error", err)
	}
}
