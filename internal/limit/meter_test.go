package limit_test

import (
	"testing"
	"time"

	"errand/internal/limit"
)

// TestMeter proves that all rates of a meter count, that the slowest decides, and that
// after a rest it is as good as new.
func TestMeter(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	m := limit.NewMeter(limit.Rate{Every: time.Second}, limit.Rate{Every: 3 * time.Second, Burst: 20}, limit.Rate{})
	wait := func(want time.Duration, what string) {
		t.Helper()
		if got := m.Wait(now).Round(time.Microsecond); got != want {
			t.Errorf("%s: the next waits %s, want %s", what, got, want)
		}
	}
	if m.Every() != time.Second {
		t.Errorf("two that follow each other are %s apart", m.Every())
	}
	if m.AtRest(20) != 19*time.Second || m.AtRest(30) != 30*time.Second {
		t.Errorf("20 take %s and 30 %s, where nothing was counted", m.AtRest(20), m.AtRest(30))
	}
	wait(0, "nothing was counted")
	if !m.Allow(now) || m.Allow(now) || m.Rested(now) {
		t.Error("it is not one at once that may")
	}
	wait(time.Second, "one was counted")
	for range 29 { // 20 of the burst, and what 29 s have earned
		now = now.Add(time.Second)
		if m.Wait(now) > 0 {
			break
		}
		m.Take(now)
	}
	if got := m.WaitFor(2, now); got <= 3*time.Second {
		t.Errorf("behind a burst two take %s, which the slower rate does not permit", got)
	}
	if now = now.Add(time.Hour); !m.Rested(now) {
		t.Error("after an hour something is held against it")
	}
	wait(0, "after an hour")
	none := limit.NewMeter()
	for range 2 {
		if !none.Allow(now) || none.WaitFor(100, now) != 0 || !none.Rested(now) {
			t.Error("a meter without rates bounds something")
		}
	}
}
