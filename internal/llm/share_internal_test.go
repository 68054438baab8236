package llm

import (
	"testing"
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
