package app

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

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
		k := &channels.Attendance{Run: func(ctx context.Context) {
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
