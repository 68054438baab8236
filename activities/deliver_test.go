package activities

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"go.temporal.io/sdk/temporal"
)

// TestToTheEnd proves that a message which is being sent is not cut off when its
// delivery is to begin anew, but is when the worker ends.
func TestToTheEnd(t *testing.T) {
	for _, test := range []struct {
		name  string
		cause error
		cut   bool
	}{
		{"begin anew", temporal.NewCanceledError(), false},
		{"the worker ends", errors.New("worker shutdown"), true},
		{"it takes too long", context.DeadlineExceeded, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				sending, end := toTheEnd(ctx)
				defer end()
				cancel(test.cause)
				synctest.Wait()
				if cut := sending.Err() != nil; cut != test.cut {
					t.Errorf("it is cut off: %v, want %v", cut, test.cut)
				}
			})
		})
	}
}
