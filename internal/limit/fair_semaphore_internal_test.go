package limit

import (
	"context"
	"testing"
)

// TestPlacesOfProcesses proves how many places the processes of an installation have, how many
// of them are not reserved, and that each has a reserved one.
func TestPlacesOfProcesses(t *testing.T) {
	for _, test := range []struct{ total, processes, all, shared int }{
		{64, 1, 64, 48}, {64, 2, 64, 48}, {64, 4, 64, 48}, {64, 3, 63, 48}, {-1, 4, 1000, 1000},
		{4, 1, 4, 3}, {4, 2, 4, 2}, {8, 4, 8, 4}, {2, 1, 2, 1}, {1, 1, 1, 1}, {5, 1, 5, 3},
		{4, 4, 8, 4}, {1, 3, 3, 3}, // too few to divide
	} {
		all, shared := 0, 0
		for range test.processes {
			s := NewFairSemaphore(test.total)
			s.Divide(test.processes)
			shared += min(s.places-s.reserved, 1000/test.processes)
			all += min(s.places, 1000/test.processes)
			if test.total != 1 && test.total >= 0 && s.reserved < 1 {
				t.Errorf("%d places, %d processes: one has no reserved place", test.total, test.processes)
			}
		}
		if all != test.all || shared != test.shared {
			t.Errorf("%d places, %d processes have %d, %d of them not reserved; want %d and %d", test.total, test.processes, all, shared, test.all, test.shared)
		}
	}
}

// TestSemaphoreForgets proves that a semaphore keeps no key that no caller holds or waits for.
func TestSemaphoreForgets(t *testing.T) {
	s := NewSemaphore[string](1)
	release, err := s.Acquire(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Acquire(ended, "a"); err == nil {
		t.Error("two hold it")
	}
	if _, ok := s.TryAcquire("a"); ok || len(s.byKey) != 1 {
		t.Errorf("two hold it: %v; %d keys are kept", ok, len(s.byKey))
	}
	if release(); len(s.byKey) != 0 {
		t.Errorf("%d keys are kept", len(s.byKey))
	}
}
