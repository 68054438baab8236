// Package probetest lets tests wait until the program reaches a point of package probe, and hold
// it there.
package probetest

import (
	"sync"
	"testing"
	"time"

	"errand/internal/probe"
)

// Signals counts how often each point is reached. The zero value is ready.
type Signals struct {
	mu      sync.Mutex
	passed  map[probe.Point]int
	changed chan struct{} // closed at the next point
	holds   map[probe.Point]*hold
}

type hold struct {
	nth      int
	released chan struct{}
}

// At records that p was reached, and blocks if Hold asks for this time. It is the [probe.Func].
func (s *Signals) At(p probe.Point) {
	s.mu.Lock()
	if s.passed == nil {
		s.passed = map[probe.Point]int{}
	}
	s.passed[p]++
	h := s.holds[p]
	held := h != nil && s.passed[p] == h.nth
	if s.changed != nil {
		close(s.changed)
		s.changed = nil
	}
	s.mu.Unlock()
	if held {
		<-h.released
	}
}

// Hold blocks the nth call that reaches p, counted from 1, until release is called.
func (s *Signals) Hold(p probe.Point, nth int) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.holds == nil {
		s.holds = map[probe.Point]*hold{}
	}
	h := &hold{nth, make(chan struct{})}
	s.holds[p] = h
	return sync.OnceFunc(func() { close(h.released) })
}

// Passed is how often somebody has come to p.
func (s *Signals) Passed(p probe.Point) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.passed[p]
}

// Wait waits until somebody has come to p for the nth time.
func (s *Signals) Wait(t testing.TB, p probe.Point, nth int) {
	t.Helper()
	for {
		s.mu.Lock()
		if s.passed[p] >= nth {
			s.mu.Unlock()
			return
		}
		if s.changed == nil {
			s.changed = make(chan struct{})
		}
		changed := s.changed
		s.mu.Unlock()
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatalf("nobody has come to %q for the %d. time", p, nth)
		}
	}
}

// Eventually waits, for two minutes at most, until is holds. It polls: use it only for what
// gives no sign.
func Eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(2 * time.Minute); !is(); <-tick.C {
		if time.Now().After(end) {
			t.Fatalf("it did not come to this: %s", what)
		}
	}
}
