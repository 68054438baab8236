package app

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"errand/internal/channels"
	"errand/internal/core"
)

// TestCloseConnections proves that at the end no connection waits for another to
// have come down.
func TestCloseConnections(t *testing.T) {
	const n = 5
	c := connections{attendances: map[core.Account]*channels.Attendance{}}
	var held, ending sync.WaitGroup
	held.Add(n)
	ending.Add(n)
	for i := range n {
		k := &channels.Attendance{IsMissing: func(error) bool { return false }, Run: func(ctx context.Context) {
			held.Done()
			<-ctx.Done()
			ending.Done()
			ending.Wait() // for all to be told
		}}
		c.attendances[core.Account{Channel: "telegram", Name: fmt.Sprint(i)}] = k
		go k.Attend(t.Context())
	}
	held.Wait()
	closed := make(chan struct{})
	go func() { defer close(closed); c.close() }()
	select {
	case <-closed:
	case <-time.After(time.Minute):
		t.Fatal("one waits for another")
	}
}

// TestMissing proves what hangs up: that the workflow wants it, and nothing that
// befalls Temporal or the way there.
func TestMissing(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		if cause := serviceerror.FromStatus(status.New(code, "the heartbeat was not recorded")); !isMissing(cause) {
			t.Errorf("%s hangs up", code)
		}
	}
	for _, cause := range []error{serviceerror.NewNamespaceNotFound("default"), activity.ErrActivityPaused, activity.ErrActivityReset, context.DeadlineExceeded} {
		if !isMissing(cause) {
			t.Errorf("%v hangs up", cause)
		}
	}
	if isMissing(temporal.NewCanceledError()) {
		t.Error("what the workflow asks for does not hang up")
	}
}
