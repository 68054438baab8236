package limit_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errand/internal/limit"
)

type fewRows map[string]int

func (r fewRows) TakeTokens(ctx context.Context, takes []limit.Take) (time.Duration, error) {
	if wait, err := r.AwaitTokens(ctx, takes); wait > 0 || err != nil {
		return wait, err
	}
	for _, take := range takes {
		r[take.Key] -= take.N
	}
	return 0, nil
}

func (r fewRows) AwaitTokens(_ context.Context, takes []limit.Take) (time.Duration, error) {
	for _, take := range takes {
		if r[take.Key] < take.N {
			return time.Second, nil
		}
	}
	return 0, nil
}

func (r fewRows) ReturnTokens(_ context.Context, takes []limit.Take) error {
	for _, take := range takes {
		r[take.Key] += take.N
	}
	return nil
}

// TestTokensInAdvance proves that what was taken in advance from a bucket that many
// share is there for whoever is let through: what is refused, or given back, uses none
// of it.
func TestTokensInAdvance(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	const advance = 20
	all := limit.PerMinute("all", 32*advance)
	person := func(n int) limit.Bucket { return limit.PerMinute("person "+string(rune('a'+n)), 3) }
	limiter := func(rows fewRows) *limit.Limiter {
		return &limit.Limiter{Now: func() time.Time { return now }, Rows: rows}
	}
	t.Run("refused", func(t *testing.T) {
		rows := fewRows{"all": advance}
		l := limiter(rows)
		allow := func(n int) bool { return l.Allow(new(limit.Tokens), person(n), all) == 0 }
		rows[person(0).Key] = 1
		if !allow(0) || rows["all"] != 0 {
			t.Fatalf("the first is refused, or takes nothing in advance: %v", rows)
		}
		for n := range advance - 1 {
			if allow(1 + n) {
				t.Fatal("somebody is let through who has no token")
			}
		}
		for n := range advance - 1 {
			rows[person(20+n).Key] = 1
			if !allow(20 + n) {
				t.Fatalf("%d used what was taken in advance, and %d are refused after them", n, advance-1)
			}
		}
		if rows[person(40).Key] = 1; allow(40) {
			t.Error("more was put back than was taken")
		}
	})
	t.Run("given back", func(t *testing.T) {
		rows := fewRows{"all": advance}
		l := limiter(rows)
		for n := range 3 * advance {
			var taken limit.Tokens
			if l.Allow(&taken, all) > 0 {
				t.Fatalf("number %d is refused, and all were given back", n)
			}
			l.Refund(&taken)
			l.Refund(&taken) // it is none any more
		}
		for n := range advance + 1 {
			if wait := l.Allow(new(limit.Tokens), all); (wait > 0) != (n == advance) {
				t.Fatalf("number %d waits %s", n, wait)
			}
		}
	})
	t.Run("given back late", func(t *testing.T) {
		rows := fewRows{"all": 2 * advance}
		l := limiter(rows)
		var taken limit.Tokens
		l.Allow(&taken, all)
		now = now.Add(time.Hour)
		l.Allow(new(limit.Tokens), all)
		l.Refund(&taken)
		for n := range advance + 1 {
			if wait := l.Allow(new(limit.Tokens), all); (wait > 0) != (n == advance) {
				t.Fatalf("number %d waits %s", n, wait)
			}
		}
	})
}

// TestRefusedLater proves that one who is refused keeps what the same message has taken
// before.
func TestRefusedLater(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ada, answers := limit.PerMinute("ada", 3), limit.PerMinute("answers", 1)
	l := limit.Limiter{Now: func() time.Time { return now }, Rows: fewRows{"ada": 100}}
	var taken limit.Tokens
	if l.Allow(&taken, ada) > 0 || l.Allow(&taken, answers) == 0 {
		t.Fatal("the message is refused, or its answer is not")
	}
	for n := range 3 {
		if wait := l.Allow(new(limit.Tokens), ada); (wait > 0) != (n == 2) {
			t.Errorf("number %d after the message waits %s", n+1, wait)
		}
	}
	if l.Refund(&taken); l.Allow(new(limit.Tokens), ada) > 0 {
		t.Error("what the message has taken cannot be given back any more")
	}
}

type askedRows struct {
	fewRows
	asked int
}

func (r *askedRows) TakeTokens(ctx context.Context, takes []limit.Take) (time.Duration, error) {
	r.asked++
	return r.fewRows.TakeTokens(ctx, takes)
}

func (r *askedRows) AwaitTokens(ctx context.Context, takes []limit.Take) (time.Duration, error) {
	r.asked++
	return r.fewRows.AwaitTokens(ctx, takes)
}

// TestRefusedAsksLittle proves that whoever is refused, and goes on trying, costs the
// rows hardly anything, whichever of the buckets is empty.
func TestRefusedAsksLittle(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ada, all := limit.PerMinute("ada", 30), limit.PerMinute("all", 600)
	for name, buckets := range map[string][]limit.Bucket{"alone": {ada}, "first of two": {ada, all}, "last of two": {all, ada}} {
		rows := &askedRows{fewRows: fewRows{"all": 10_000}} // others have used hers up
		l := &limit.Limiter{Now: func() time.Time { return now }, Rows: rows}
		for range 1000 {
			if l.Allow(new(limit.Tokens), buckets...) == 0 {
				t.Fatalf("%s: somebody is let through who has no token", name)
			}
		}
		if rows.asked > 10 {
			t.Errorf("%s: 1000 that are refused at one moment ask the rows %d times", name, rows.asked)
		}
		if l.Wait(all) > 0 {
			t.Errorf("%s: others are refused with her", name)
		}
	}
}

// TestStockIsBounded proves that a limiter keeps tokens in advance of a bounded number
// of buckets, and that one whose tokens it let go has new ones.
func TestStockIsBounded(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	rows := fewRows{}
	l := &limit.Limiter{Now: func() time.Time { return now }, Rows: rows}
	person := func(n int) limit.Bucket { return limit.PerMinute(fmt.Sprint("person ", n), 120) }
	allow := func(n int) time.Duration { return l.Allow(new(limit.Tokens), person(n)) }
	for n := range limit.MostBuckets + 100 {
		if rows[person(n).Key] = 120; allow(n) > 0 {
			t.Fatalf("person %d is refused", n)
		}
		if in := limit.InStock(l); in == 0 || in > limit.MostBuckets {
			t.Fatalf("after person %d tokens of %d buckets are kept", n, in)
		}
	}
	if wait := allow(0); wait > 0 {
		t.Errorf("the first waits %s", wait)
	}
}
