package probetest

import (
	"testing"
	"testing/synctest"

	"errand/internal/probe"
)

// TestSignals proves that a point can be waited for, and that the work is stopped at
// it once, until it is released.
func TestSignals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Signals
		release := s.Hold(probe.BeforeT2, 2)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 3 {
				s.At(probe.BeforeT1)
				s.At(probe.BeforeT2)
			}
		}()
		s.Wait(t, probe.BeforeT2, 2)
		synctest.Wait()
		if n := s.Passed(probe.BeforeT1); n != 2 {
			t.Errorf("the work was at the first point %d times, want 2: it is held at the second", n)
		}
		release()
		release()
		<-done
		if n := s.Passed(probe.BeforeT2); n != 3 {
			t.Errorf("the work was at the second point %d times, want 3", n)
		}
	})
	var f probe.Func
	f.At(probe.AfterT2) // nobody looks
}
