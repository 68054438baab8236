package limit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/limit"
)

// TestLimiter proves that a burst is let through and then one each interval, that
// several buckets are taken from together or not at all, and that what is given back
// counts again, but never more than a burst.
func TestLimiter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	l := limit.Limiter{Now: func() time.Time { return now }}
	ada, all := limit.PerMinute("ada", 3), limit.PerMinute("all", 4)
	var taken limit.Tokens
	allow := func(b ...limit.Bucket) time.Duration { return l.Allow(&taken, b...) }
	for n := range 3 {
		if wait := allow(ada, all); wait != 0 {
			t.Fatalf("number %d of the burst waits %s", n, wait)
		}
	}
	if wait := allow(ada, all); wait != 20*time.Second || l.Wait(ada) != wait {
		t.Errorf("a fourth of a person waits %s, and asked for it %s, want 20 s", wait, l.Wait(ada))
	}
	if wait := allow(limit.PerMinute("bert", 3), all); wait != 0 {
		t.Errorf("what was refused was counted all the same: another waits %s", wait)
	}
	if wait := allow(limit.PerMinute("cleo", 3), all); wait != 15*time.Second {
		t.Errorf("one more than all may waits %s, want 15 s", wait)
	}
	if now = now.Add(20 * time.Second); allow(ada) != 0 || allow(ada) != 20*time.Second {
		t.Error("after its interval it is not one that may")
	}
	if l.Refund(&taken); allow(ada, ada, ada) != 0 || allow(ada) == 0 {
		t.Error("what was given back is not what may be taken")
	}
	if l.Refund(&taken); l.Wait(ada) != 0 {
		t.Error("all was given back, and one waits")
	}
	now = now.Add(time.Hour)
	for n := range 4 {
		if wait := allow(ada); (wait > 0) != (n == 3) {
			t.Errorf("after an hour, number %d waits %s; a burst is three", n, wait)
		}
	}
	if allow(limit.PerMinute("ada", 0)) != 0 || allow(limit.Bucket{Key: "ada"}) != 0 {
		t.Error("a bucket without a burst bounds something")
	}
}

// TestManyKeys proves that the number of buckets is bounded, that full ones are
// forgotten first, and that somebody new is never refused for it.
func TestManyKeys(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	l := limit.Limiter{Now: func() time.Time { return now }, Most: 10}
	slow := limit.Bucket{Key: "slow", Every: time.Hour, Burst: 1}
	if l.Allow(&limit.Tokens{}, slow) != 0 {
		t.Fatal("the first is refused")
	}
	for n := range 9 {
		l.Allow(&limit.Tokens{}, limit.PerMinute(fmt.Sprint(n), 1))
	}
	now = now.Add(time.Minute)
	if l.Allow(&limit.Tokens{}, limit.PerMinute("new", 1)) != 0 || l.Len() != 2 || l.Allow(&limit.Tokens{}, slow) == 0 {
		t.Errorf("full buckets were not forgotten alone: %d are kept", l.Len())
	}
	for n := range 100 {
		if l.Allow(&limit.Tokens{}, limit.PerMinute(fmt.Sprint("crowd ", n), 1)) != 0 {
			t.Fatalf("number %d of a crowd is refused", n)
		}
	}
	if l.Len() > 10 {
		t.Errorf("%d buckets are kept", l.Len())
	}
}

// TestSemaphore proves that only so many hold it for one key, that another key does
// not wait for them, and that whoever waits gets it when one gives it back, or gives up
// with their context.
func TestSemaphore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.NewSemaphore[string](1)
		release, err := s.Acquire(t.Context(), "a")
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.Acquire(t.Context(), "b")
		if err != nil {
			t.Fatal(err)
		}
		other()
		brief, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := s.Acquire(brief, "a"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one too many holds it: %v", err)
		}
		held := make(chan error)
		go func() {
			_, err := s.Acquire(t.Context(), "a")
			held <- err
		}()
		synctest.Wait()
		select {
		case <-held:
			t.Error("a second holds it")
		default:
		}
		release()
		if err := <-held; err != nil {
			t.Errorf("whoever waited does not get it: %v", err)
		}
	})
}

// TestWeights proves that what holds a semaphore together weighs no more than may, and that
// what weighs more than that holds it alone.
func TestWeights(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := limit.NewSemaphore[string](10)
		take := func(n int64) (func(), error) {
			brief, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return s.AcquireN(brief, "a", n)
		}
		four, err := take(4)
		if err != nil {
			t.Fatal(err)
		}
		six, err := take(6)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := take(1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("more than may hold it: %v", err)
		}
		four()
		if _, err := take(11); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("what weighs more than all does not wait: %v", err)
		}
		six()
		whole, err := take(11)
		if err != nil {
			t.Fatal(err)
		}
		whole()
		if _, err := take(10); err != nil {
			t.Errorf("not all of it was given back: %v", err)
		}
	})
}
