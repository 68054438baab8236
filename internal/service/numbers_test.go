package service

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/telemetry"
)

// TestCountedOnce proves that however many monitors ask, what there is to do is counted
// once in a while, and that one that goes away fails none of the others.
func TestCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c countCache
		n := 0
		count := func(ctx context.Context) telemetry.Installation {
			n++
			if ctx.Err() != nil {
				return telemetry.Installation{}
			}
			return telemetry.Installation{Hooks: map[string]int64{"n": int64(n)}}
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if got := c.read(gone, count).Hooks["n"]; got != 1 {
			t.Errorf("for one that has gone away it was counted as %d", got)
		}
		var all sync.WaitGroup
		for i := range 100 {
			all.Go(func() {
				ctx := t.Context()
				if i%2 == 0 {
					ctx = gone
				}
				if got := c.read(ctx, count).Hooks["n"]; got != 1 {
					t.Errorf("one was shown %d", got)
				}
			})
		}
		all.Wait()
		time.Sleep(countsFor - time.Nanosecond) // of the bubble's time
		if c.read(t.Context(), count); n != 1 {
			t.Errorf("it was counted %d times", n)
		}
		time.Sleep(time.Nanosecond)
		if got := c.read(t.Context(), count).Hooks["n"]; got != 2 {
			t.Errorf("later it is %d", got)
		}
		// A store that does not answer holds nobody up for long.
		time.Sleep(countsFor)
		began := time.Now()
		c.read(t.Context(), func(ctx context.Context) telemetry.Installation {
			<-ctx.Done()
			return telemetry.Installation{}
		})
		if took := time.Since(began); took > countsWithin {
			t.Errorf("it took %s", took)
		}
	})
}
