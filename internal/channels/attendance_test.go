package channels_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/channels"
	"errand/internal/test/probetest"
)

var errLost = errors.New("nothing was heard of you")

// TestKeeper proves that a connection goes on when whoever attends to it is given
// up for lost, until the next one comes or nobody is to; and that it ends with
// the last who is told to end it.
func TestKeeper(t *testing.T) {
	began, over := make(chan string, 10), make(chan string, 10)
	var wanted atomic.Bool
	wanted.Store(true)
	k := &channels.Attendance{
		Run: func(ctx context.Context) {
			began <- "held"
			<-ctx.Done()
			over <- "over"
		},
		IsMissing: func(cause error) bool { return errors.Is(cause, errLost) },
		IsWanted:  func(context.Context) bool { return wanted.Load() },
		Every:     5 * time.Millisecond,
	}
	attend := func() (leave func(error)) {
		ctx, cancel := context.WithCancelCause(context.Background())
		done := make(chan struct{})
		go func() { defer close(done); k.Attend(ctx) }()
		return func(cause error) { cancel(cause); <-done }
	}
	still := func() {
		t.Helper()
		if len(over) > 0 || len(began) > 0 {
			t.Fatal("it was disconnected")
		}
	}
	first := attend()
	hears(t, began, "held")
	first(errLost)
	still()
	second := attend()
	third := attend()
	// Both are there before one leaves.
	probetest.Eventually(t, "two attendants", func() bool { return k.Attending() == 2 })
	second(context.Canceled)
	still()
	third(errLost)
	still()
	wanted.Store(false)
	hears(t, over, "over")

	fourth := attend()
	hears(t, began, "held")
	fourth(context.Canceled)
	hears(t, over, "over")

	fifth := attend()
	hears(t, began, "held")
	k.Close()
	hears(t, over, "over")
	fifth(nil)
	if err := k.Attend(t.Context()); !errors.Is(err, channels.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
