// Package limit limits how often something happens and how much happens at once, for each key: a
// person, an account, a network address. The counts are in memory and end with the process. Rates
// can also be counted in rows that several processes share.
//
// It also limits the connections of an HTTP server. A connection counts for the address of its peer
// until [Identify] names the person who uses it. If the server is full, a new connection replaces
// another one: first one without a person, then one of the address or person with the most
// connections. So an attacker who opens thousands of connections closes their own.
package limit

import (
	"cmp"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Bucket is a rate limit: Burst events may happen at once, and then one every Every. Without a
// Burst there is no limit.
type Bucket struct {
	Key   string
	Every time.Duration
	Burst int
}

// PerMinute returns a Bucket for n events a minute; zero: no limit.
func PerMinute(key string, n int) Bucket {
	if n <= 0 {
		return Bucket{Key: key}
	}
	return Bucket{Key: key, Every: time.Minute / time.Duration(n), Burst: n}
}

// A Limiter has buckets by key. Its zero value is ready to use. It is safe for concurrent use.
type Limiter struct {
	Now func() time.Time // the clock; default: time.Now
	// Most is the maximum number of buckets; default 10,000. Above it, full buckets are removed,
	// because they equal new ones. If none is full, all are removed.
	Most int
	// Rows, if set, counts what all processes allow. A caller who is too fast in this process adds
	// no load to it. If it cannot be reached, this process decides alone.
	Rows   Rows
	Logger *slog.Logger // with Rows: logs a warning if they cannot be reached

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

// Tokens are tokens taken from buckets of this process, so that unused ones can be returned. The
// zero value has none.
type Tokens struct{ from []token }

type token struct {
	key    string
	bucket *rate.Limiter
}

// Allow takes a token from each bucket and adds it to t. If a bucket is empty, it takes none and
// returns how long until that bucket has a token.
func (l *Limiter) Allow(t *Tokens, buckets ...Bucket) (wait time.Duration) {
	buckets = slices.DeleteFunc(slices.Clone(buckets), func(b Bucket) bool { return b.Burst <= 0 })
	var taken Tokens // separate from t, whose tokens must not be refunded
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
		r := l.buckets[b.Key]
		if r == nil {
			l.evict(now)
			r = rate.NewLimiter(rate.Every(b.Every), b.Burst)
			l.buckets[b.Key] = r
		}
		r.ReserveN(now, 1)
		t.from = append(t.from, token{b.Key, r})
	}
	return 0
}

// Wait returns how long until Allow would succeed; zero: it would succeed now.
func (l *Limiter) Wait(buckets ...Bucket) time.Duration {
	l.mu.Lock()
	wait := l.longest(l.now(), buckets)
	l.mu.Unlock()
	if wait > 0 || l.Rows == nil {
		return wait
	}
	return l.waitShared(buckets)
}

// Refund returns the tokens to the buckets of this process and empties t. Rows are not refunded.
func (l *Limiter) Refund(t *Tokens) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	for _, taken := range t.from {
		// A reservation cannot be canceled once its time has come. A negative number adds tokens,
		// and a bucket never holds more than its burst.
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

func (l *Limiter) evict(now time.Time) {
	isCrowded := func() bool { return len(l.buckets) >= cmp.Or(l.Most, 10_000) }
	if isCrowded() {
		maps.DeleteFunc(l.buckets, func(_ string, r *rate.Limiter) bool { return r.TokensAt(now) >= float64(r.Burst()) })
	}
	if l.buckets == nil || isCrowded() {
		l.buckets = map[string]*rate.Limiter{}
	}
}

func (l *Limiter) now() time.Time {
	if l.Now == nil {
		return time.Now()
	}
	return l.Now()
}

func (l *Limiter) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.buckets)
}
