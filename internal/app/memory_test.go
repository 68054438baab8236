package app

import "testing"

// TestMemoryIsReturned proves that memory is returned once after a burst, when it is
// over and not before, and not for what an installation at rest allocates.
func TestMemoryIsReturned(t *testing.T) {
	var allocated uint64
	freed := 0
	m := memory{allocated: func() uint64 { return allocated }, free: func() { freed++ }}
	for i, step := range []struct {
		allocates uint64
		want      int // how often memory has been returned
	}{
		{200 << 20, 0}, // it starts
		{200 << 20, 0}, // and works
		{1 << 20, 1},   // and is at rest
		{1 << 20, 1},
		{15 << 20, 1}, // six looks of it are more than a burst
		{15 << 20, 1},
		{15 << 20, 1},
		{15 << 20, 1},
		{15 << 20, 1},
		{15 << 20, 1},
		{100 << 20, 1}, // a burst
		{0, 2},
		{0, 2},
	} {
		allocated += step.allocates
		if m.check(); freed != step.want {
			t.Errorf("look %d: memory was returned %d times, want %d", i+1, freed, step.want)
		}
	}
	if now := allocatedBytes(); now == 0 {
		t.Error("nobody knows how much was allocated")
	}
}
