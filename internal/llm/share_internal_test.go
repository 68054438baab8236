package llm

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestLongestPauseStays proves that a provider which asked for a long pause is not called
// earlier because another call, or another worker, is told of a shorter one, and that
// other providers come first as long.
func TestLongestPauseStays(t *testing.T) {
	now := time.Now()
	told := map[time.Duration]bool{}
	p := &provider{pause: func(_ string, wait time.Duration) { told[wait] = true }}
	asks := func(wait time.Duration) { p.failed(&Error{Kind: RateLimited, RetryAfter: wait}, now) }
	stays := func(want time.Duration) {
		t.Helper()
		if wait := p.closedFor(now); wait != want || !p.avoided(now.Add(want-1)) {
			t.Errorf("it is closed for %s, want %s; others come first until then: %t", wait, want, p.avoided(now.Add(want-1)))
		}
	}
	asks(5 * time.Minute)
	asks(time.Second)
	stays(5 * time.Minute)
	p.closeUntil(now.Add(8 * time.Minute))
	asks(6 * time.Minute)
	stays(8 * time.Minute)
	p.failed(&Error{Kind: Unreachable}, now)
	stays(8 * time.Minute)
	asks(9 * time.Minute)
	stays(9 * time.Minute)
	if len(told) != 4 {
		t.Errorf("the other workers are told of %d pauses, want 4", len(told))
	}
}

// TestPlacesOfWorkers proves how many calls the workers of an installation make at once,
// how many of them for background work, and that each has a place for people.
func TestPlacesOfWorkers(t *testing.T) {
	for _, test := range []struct{ bound, workers, all, background int }{
		{0, 1, 64, 48}, {0, 2, 64, 48}, {0, 4, 64, 48}, {0, 3, 63, 48}, {-1, 4, 1000, 1000},
		{4, 1, 4, 3}, {4, 2, 4, 2}, {8, 4, 8, 4}, {2, 1, 2, 1}, {1, 1, 1, 1},
		{4, 4, 8, 4}, {1, 3, 3, 3}, // too few to divide
	} {
		all, background := 0, 0
		for range test.workers {
			g := newPrioritySemaphore()
			g.limit(test.bound)
			g.divide(test.workers)
			background += min(g.places-g.share, 1000/test.workers)
			all += min(g.places, 1000/test.workers)
			if test.bound != 1 && test.bound >= 0 && g.share < 1 {
				t.Errorf("of %d for %d workers one has no place for people", test.bound, test.workers)
			}
		}
		if all != test.all || background != test.background {
			t.Errorf("of %d places %d workers have %d, %d of them for background work; want %d and %d", test.bound, test.workers, all, background, test.all, test.background)
		}
	}
}

// TestPlacesComeBack proves that calls which wait for a place get one when a worker is
// gone, and that none is ended when one comes.
func TestPlacesComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newPrioritySemaphore()
		g.limit(8)
		g.divide(4)
		var in atomic.Int64
		ctx, cancel := context.WithCancel(t.Context())
		for range 8 {
			go func() {
				if _, err := g.acquire(ctx, false, "ada"); err == nil {
					in.Add(1)
				}
			}()
			synctest.Wait()
		}
		if in.Load() != 2 {
			t.Errorf("%d calls at one of four workers, want 2", in.Load())
		}
		g.divide(1)
		synctest.Wait()
		if in.Load() != 8 {
			t.Errorf("%d calls at the only worker, want 8", in.Load())
		}
		g.divide(4)
		if g.inFlight != 8 {
			t.Errorf("%d calls go on, want 8", g.inFlight)
		}
		cancel()
	})
}
