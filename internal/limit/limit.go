// Package limit bounds how often things happen, and how many happen at once, each by a
// key: a person, an account, a network address. It is kept in the process, where after a
// restart everybody begins anew; rates also in rows that several processes share.
package limit

import (
	"log/slog"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Bucket is what something is counted in: Burst may happen at once, and one more each
// Every after that. One without a Burst bounds nothing.
type Bucket struct {
	Key   string
	Every time.Duration
	Burst int
}

// PerMinute is a Bucket in which n may happen within a minute; zero bounds nothing.
func PerMinute(key string, n int) Bucket {
	if n <= 0 {
		return Bucket{Key: key}
	}
	return Bucket{Key: key, Every: time.Minute / time.Duration(n), Burst: n}
}

const mostBuckets = 10_000

// A Limiter keeps buckets by their key. Its zero value is ready, and it may be used by
// many goroutines.
type Limiter struct {
	Now func() time.Time // the clock; default: time.Now
	// Most is how many buckets are kept; default 10,000. Full ones go first, which are
	// as good as new. Where none is full all go: whoever holds that many keys is not
	// slowed down by this, and nobody else shall be.
	Most int
	// Rows, if set, count what all processes let through. A caller who is too fast in this
	// process costs them nothing. While they cannot be reached this process decides alone.
	Rows   Rows
	Logger *slog.Logger // with Rows: gets a warning when they cannot be reached

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// Tokens are what was taken from the buckets of this process, to be given back if it was not
// used. The zero value is none.
type Tokens struct{ from []token }

type token struct {
	key    string
	bucket *rate.Limiter
}

// Allow takes a token from each bucket and adds it to t. If one is empty it takes
// none, and returns how long that one takes to have one again.
func (l *Limiter) Allow(t *Tokens, buckets ...Bucket) (wait time.Duration) {
	buckets = slices.DeleteFunc(slices.Clone(buckets), func(b Bucket) bool { return b.Burst <= 0 })
	var taken Tokens // apart from what t has: of that nothing is undone
	wait = l.allowLocal(&taken, buckets)
	if wait <= 0 && l.Rows != nil && len(buckets) > 0 {
		wait = l.allowShared(&taken, buckets)
	}
	if wait <= 0 {
		t.from = append(t.from, taken.from...)
	}
	return wait
}

func (l *Limiter) allowLocal(t *Tokens, buckets []Bucket) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if wait = l.longest(now, buckets); wait > 0 {
		return wait
	}
	for _, b := range buckets {
		r := l.bucket(b, now)
		r.ReserveN(now, 1)
		t.from = append(t.from, token{b.Key, r})
	}
	return 0
}

// Wait returns how long it takes until Allow would take from all of the buckets; zero:
// it would now.
func (l *Limiter) Wait(buckets ...Bucket) time.Duration {
	l.mu.Lock()
	wait := l.longest(l.now(), buckets)
	l.mu.Unlock()
	if wait > 0 || l.Rows == nil {
		return wait
	}
	return l.waitShared(buckets)
}

// Refund gives tokens back to the buckets of this process, and leaves t empty. What Rows have
// counted stays counted.
func (l *Limiter) Refund(t *Tokens) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, taken := range t.from {
		// A reservation cannot be canceled once its time has come; a negative number
		// adds tokens, and a bucket never holds more than its burst.
		taken.bucket.ReserveN(now, -1)
	}
	t.from = nil
}

func (l *Limiter) longest(now time.Time, buckets []Bucket) (wait time.Duration) {
	for _, b := range buckets {
		if r := l.buckets[b.Key]; r != nil && b.Burst > 0 {
			missing := 1 - r.TokensAt(now)
			wait = max(wait, time.Duration(missing/float64(r.Limit())*float64(time.Second)))
		}
	}
	return wait
}

func (l *Limiter) bucket(b Bucket, now time.Time) *rate.Limiter {
	r := l.buckets[b.Key]
	if r == nil {
		l.evict(now)
		r = rate.NewLimiter(rate.Every(b.Every), b.Burst)
		l.buckets[b.Key] = r
	}
	return r
}

func (l *Limiter) evict(now time.Time) {
	most := l.Most
	if most <= 0 {
		most = mostBuckets
	}
	if len(l.buckets) >= most {
		for key, r := range l.buckets {
			if r.TokensAt(now) >= float64(r.Burst()) {
				delete(l.buckets, key)
			}
		}
	}
	if l.buckets == nil || len(l.buckets) >= most {
		l.buckets = map[string]*rate.Limiter{}
	}
}

func (l *Limiter) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

// Len returns how many buckets are kept.
func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}
