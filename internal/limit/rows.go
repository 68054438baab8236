package limit

import (
	"context"
	"slices"
	"time"
)

// Rows count the events of all processes of an installation: one row for each bucket, which starts
// at zero again after the time in which the bucket fills. Rows are never refunded: a message that
// is delivered twice counts twice. [*store.Store] implements it.
type Rows interface {
	// CountRates adds one to each bucket. If a bucket has reached its Burst, it counts nothing and
	// returns the key of that bucket and the time until it starts again.
	CountRates(ctx context.Context, buckets []Bucket) (full string, wait time.Duration, err error)
	// RateWait returns how long CountRates would have to wait. It counts nothing.
	RateWait(ctx context.Context, buckets []Bucket) (wait time.Duration, err error)
}

// rowsTimeout limits a call of Rows. After it this process decides alone.
const rowsTimeout = time.Second

// allowShared counts in Rows. It keeps the token of a full bucket, so that a caller who continues
// is soon refused without a call of Rows.
func (l *Limiter) allowShared(t *Tokens, buckets []Bucket) (wait time.Duration) {
	var full string
	wait = l.ask(func(ctx context.Context) (wait time.Duration, err error) {
		full, wait, err = l.Rows.CountRates(ctx, buckets)
		return wait, err
	})
	if wait > 0 {
		t.from = slices.DeleteFunc(t.from, func(taken token) bool { return taken.key == full })
		l.Refund(t)
	}
	return wait
}

func (l *Limiter) waitShared(buckets []Bucket) time.Duration {
	return l.ask(func(ctx context.Context) (time.Duration, error) { return l.Rows.RateWait(ctx, buckets) })
}

func (l *Limiter) ask(rows func(context.Context) (time.Duration, error)) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	wait, err := rows(ctx)
	if err == nil {
		return wait
	}
	if l.Logger != nil {
		l.Logger.Warn("rates are limited in this process alone: the counters of all workers cannot be reached", "error", err)
	}
	return 0
}
