package channels_test

import (
	"context"
	"errors"
	"testing"

	"errand/internal/channels"
	"errand/internal/test/probetest"
)

// TestAttendance proves that a connection goes on as long as somebody attends to it, and
// begins again with the next one.
func TestAttendance(t *testing.T) {
	began, over := make(chan string, 10), make(chan string, 10)
	k := &channels.Attendance{Run: func(ctx context.Context) {
		began <- "held"
		<-ctx.Done()
		over <- "over"
	}}
	attend := func() (leave func()) {
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); k.Attend(ctx) }()
		return func() { cancel(); <-done }
	}
	first := attend()
	hears(t, began, "held")
	second := attend()
	// Both are there before one leaves.
	probetest.Eventually(t, "two attendants", func() bool { return k.Attending() == 2 })
	first()
	if len(over) > 0 || len(began) > 0 {
		t.Fatal("it was disconnected")
	}
	second()
	hears(t, over, "over")

	third := attend()
	hears(t, began, "held")
	k.Close()
	hears(t, over, "over")
	third()
	if err := k.Attend(t.Context()); !errors.Is(err, channels.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
