package limit_test

import (
	"context"
	"testing"
	"time"

	"errand/internal/limit"
)

// countRows are [limit.Rows] whose counters never begin anew.
type countRows struct {
	n     map[string]int
	asked int
}

func (r *countRows) CountRates(ctx context.Context, buckets []limit.Bucket) (full string, wait time.Duration, err error) {
	r.asked++
	for _, b := range buckets {
		if r.n[b.Key] >= b.Burst {
			return b.Key, time.Second, nil
		}
	}
	for _, b := range buckets {
		r.n[b.Key]++
	}
	return "", 0, nil
}

func (r *countRows) RateWait(_ context.Context, buckets []limit.Bucket) (time.Duration, error) {
	for _, b := range buckets {
		if r.n[b.Key] >= b.Burst {
			return time.Second, nil
		}
	}
	return 0, nil
}

// TestRefusedLater proves that a message which is refused at its second limit keeps the token
// of the first, that it can be given back in this process, and that rows keep their count.
func TestRefusedLater(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ada, answers := limit.PerMinute("ada", 3), limit.PerMinute("answers", 1)
	rows := &countRows{n: map[string]int{"answers": 1}}
	l := limit.Limiter{Now: func() time.Time { return now }, Rows: rows}
	var taken limit.Tokens
	if l.Allow(&taken, ada) > 0 || l.Allow(&taken, answers) == 0 {
		t.Fatal("the message is refused, or its answer is not")
	}
	for n := range 3 {
		if wait := l.Allow(new(limit.Tokens), ada); (wait > 0) != (n == 2) {
			t.Errorf("number %d after the message waits %s", n+1, wait)
		}
	}
	rows.n["ada"] = 0
	if l.Refund(&taken); l.Allow(new(limit.Tokens), ada) > 0 || rows.n["ada"] != 1 {
		t.Error("what the message has taken cannot be given back")
	}
}

// TestRefusedAsksLittle proves that a caller who is refused by rows and goes on trying soon
// does not reach them, whichever of the buckets is full, and that others are let through.
func TestRefusedAsksLittle(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ada, all := limit.PerMinute("ada", 30), limit.PerMinute("all", 600)
	for name, buckets := range map[string][]limit.Bucket{"alone": {ada}, "first of two": {ada, all}, "last of two": {all, ada}} {
		rows := &countRows{n: map[string]int{"ada": 30}} // at other processes
		l := &limit.Limiter{Now: func() time.Time { return now }, Rows: rows}
		for range 1000 {
			if l.Allow(new(limit.Tokens), buckets...) == 0 {
				t.Fatalf("%s: a call is let through beyond the limit", name)
			}
		}
		if rows.asked > 30 {
			t.Errorf("%s: 1000 calls at one moment ask the rows %d times", name, rows.asked)
		}
		if rows.n["all"] != 0 || l.Wait(all) > 0 {
			t.Errorf("%s: what was refused is counted for all", name)
		}
	}
}
