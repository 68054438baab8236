package main

import (
	"errors"
	"testing"
)

// TestMusts proves that a run which misses something fails, says what, and does so where it is
// told to only.
func TestMusts(t *testing.T) {
	var m musts
	m.hold(true, "the ratio is %.1f", 1.0)
	if err := m.err(true); err != nil {
		t.Errorf("nothing is missed, and it fails: %v", err)
	}
	m.hold(false, "the ratio is %.1f", 2.0)
	m.hold(false, "%d errors", 3)
	if err := m.err(false); err != nil {
		t.Errorf("it is not to fail: %v", err)
	}
	var missed *MissedError
	if err := m.err(true); !errors.As(err, &missed) || err.Error() != "missed: the ratio is 2.0\nmissed: 3 errors" {
		t.Errorf("it fails with %v", err)
	}
}
