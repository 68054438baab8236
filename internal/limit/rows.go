package limit

import (
	"context"
	"maps"
	"math"
	"time"
)

// Rows keep the buckets of all processes of an installation; [*store.Store] does. What
// is taken from several buckets is taken from all of them or from none.
type Rows interface {
	// TakeTokens takes tokens; where there are too few it takes none, and returns how long
	// the last of them takes to come.
	TakeTokens(ctx context.Context, takes []Take) (wait time.Duration, err error)
	// AwaitTokens returns how long TakeTokens would say to wait, and takes nothing.
	AwaitTokens(ctx context.Context, takes []Take) (wait time.Duration, err error)
	ReturnTokens(ctx context.Context, takes []Take) error
}

// A Take is a number of tokens of a bucket.
type Take struct {
	Bucket
	N int
}

const (
	// rowsTimeout is how long Rows may take: nobody waits longer to be counted.
	rowsTimeout = time.Second
	// perStock is how many times a large bucket's burst is larger than what is taken from it
	// in advance: one that many people share is not to be written for each of them.
	perStock = 32
	// stockFor is how long what was taken in advance may be used. A bucket is full again
	// after that, and more than it holds is not to be taken at once.
	stockFor = time.Minute
)

type stock struct {
	left  int
	until time.Time
}

func (l *Limiter) allowShared(t *Tokens, buckets []Bucket) (wait time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	takes := l.takes(t, buckets)
	if len(takes) == 0 {
		return 0
	}
	wait, err := l.Rows.TakeTokens(ctx, takes)
	if wait > 0 && err == nil {
		for i := range takes {
			takes[i].N = 1 // there may be one left
		}
		wait, err = l.Rows.TakeTokens(ctx, takes)
	}
	switch {
	case err != nil:
		l.unreachable(err)
		return 0
	case wait > 0:
		l.refundLocal(t, l.waits(ctx, takes, wait), takes)
		return wait
	}
	l.keep(t, takes)
	return 0
}

// inAdvance is how many tokens of a bucket are taken from Rows at once.
func inAdvance(b Bucket) int { return max(1, b.Burst/perStock) }

// takes are what is to be taken from Rows for one token of each bucket that is not in
// stock here.
func (l *Limiter) takes(t *Tokens, buckets []Bucket) (takes []Take) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, b := range buckets {
		if b.Burst <= 0 {
			continue
		}
		if s := l.stock[b.Key]; s.left > 0 && now.Before(s.until) {
			l.stock[b.Key] = stock{s.left - 1, s.until}
			t.stock = append(t.stock, b)
			continue
		}
		takes = append(takes, Take{b, inAdvance(b)})
	}
	return takes
}

// keep notes what was taken from Rows: one of each is used, the rest for later.
func (l *Limiter) keep(t *Tokens, takes []Take) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, take := range takes {
		if take.N == 1 {
			t.shared = append(t.shared, take)
			continue
		}
		if l.stock == nil {
			l.stock = map[string]stock{}
		}
		if len(l.stock) >= mostBuckets { // what goes is lost to its bucket for a while
			maps.DeleteFunc(l.stock, func(_ string, s stock) bool { return !now.Before(s.until) })
			if len(l.stock) >= mostBuckets {
				clear(l.stock)
			}
		}
		l.stock[take.Key] = stock{take.N - 1, now.Add(stockFor)}
		t.stock = append(t.stock, take.Bucket)
	}
}

// restock puts a token back into stock, which never holds more than is taken at once.
// Where the stock is over, so is the token: its bucket has filled up meanwhile.
func (l *Limiter) restock(b Bucket, now time.Time) {
	if s := l.stock[b.Key]; now.Before(s.until) {
		l.stock[b.Key] = stock{min(s.left+1, inAdvance(b)), s.until}
	}
}

// refundLocal undoes what was taken here, and lets nobody ask Rows again before they
// have a token: this process's bucket is then as empty as theirs.
func (l *Limiter) refundLocal(t *Tokens, waits []time.Duration, takes []Take) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.putBack(t, now)
	for i, take := range takes {
		if waits[i] <= 0 {
			continue
		}
		r := l.bucket(take.Bucket, now)
		if left := r.TokensAt(now) + waits[i].Seconds()*float64(r.Limit()) - 1; left > 0 {
			r.ReserveN(now, int(math.Ceil(left-1e-6)))
		}
	}
}

// waits are how long each of some buckets takes to have a token, of which one at least
// has none.
func (l *Limiter) waits(ctx context.Context, takes []Take, longest time.Duration) []time.Duration {
	if len(takes) == 1 {
		return []time.Duration{longest}
	}
	list := make([]time.Duration, len(takes))
	for i, take := range takes {
		wait, err := l.Rows.AwaitTokens(ctx, []Take{take})
		if err != nil {
			return make([]time.Duration, len(takes)) // it is not known which
		}
		list[i] = wait
	}
	return list
}

func (l *Limiter) waitShared(buckets []Bucket) time.Duration {
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	takes := make([]Take, 0, len(buckets))
	for _, b := range buckets {
		if b.Burst > 0 {
			takes = append(takes, Take{b, 1})
		}
	}
	wait, err := l.Rows.AwaitTokens(ctx, takes)
	if err != nil {
		l.unreachable(err)
		return 0
	}
	return wait
}

func (l *Limiter) refundShared(t *Tokens) {
	if len(t.shared) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), rowsTimeout)
	defer cancel()
	if err := l.Rows.ReturnTokens(ctx, t.shared); err != nil {
		l.unreachable(err)
	}
	t.shared = nil
}

func (l *Limiter) unreachable(err error) {
	if l.Logger != nil {
		l.Logger.Warn("rates are counted in this process alone: what all workers count cannot be reached", "error", err)
	}
}
