package channels_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/channels"
)

// TestBackoff proves that attempts get rarer up to a limit, however many fail, and
// that not all come at the same moment.
func TestBackoff(t *testing.T) {
	b, seen := channels.Backoff{First: time.Second, Longest: 30 * time.Second}, map[time.Duration]bool{}
	for failures, most := range map[int]time.Duration{0: time.Second, 1: 2 * time.Second, 4: 16 * time.Second, 5: 30 * time.Second, 15: 30 * time.Second, 1000: 30 * time.Second} {
		for range 100 {
			d := b.After(failures)
			if seen[d] = true; d > most || d < most-most/4 {
				t.Fatalf("after %d failures it waits for %s, want up to %s", failures, d, most)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("of 600 pauses %d are different", len(seen))
	}
	if d := (channels.Backoff{}).After(3); d != 0 {
		t.Errorf("without a pause it waits for %s", d)
	}
}

func TestRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if !channels.Sleep(ctx, 40*time.Second) || time.Since(began) != 40*time.Second {
			t.Errorf("it rested for %s", time.Since(began))
		}
		if channels.Sleep(ctx, 40*time.Second) || time.Since(began) != time.Minute {
			t.Errorf("the end came after %s", time.Since(began))
		}
	})
}
