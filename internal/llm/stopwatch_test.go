package llm

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestStopwatch proves that time in which this process did not run is left out: a
// tick that comes late was missed.
func TestStopwatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startStopwatch()
		time.Sleep(90*time.Second + 300*time.Millisecond)
		if got := s.stop(); got != 90*time.Second+300*time.Millisecond {
			t.Errorf("it measures %s", got)
		}
		// Its goroutine begins an hour late, as after a sleep of the machine.
		s = &stopwatch{make(chan struct{}), make(chan time.Duration, 1)}
		begun := time.Now()
		time.Sleep(time.Hour)
		go s.run(begun)
		time.Sleep(10 * time.Second)
		if got := s.stop(); got > 15*time.Second || got < 10*time.Second {
			t.Errorf("an hour away is measured as %s", got)
		}
	})
}
