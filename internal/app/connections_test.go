package app

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"errand"
	"errand/channels"
)

// TestCloseConnections proves that at the end no connection waits for another to
// have come down.
func TestCloseConnections(t *testing.T) {
	const n = 5
	c := connections{keepers: map[errand.Account]*channels.Keeper{}}
	var held, ending sync.WaitGroup
	held.Add(n)
	ending.Add(n)
	for i := range n {
		k := &channels.Keeper{Missing: func(error) bool { return false }, Hold: func(ctx context.Context) error {
			held.Done()
			<-ctx.Done()
			ending.Done()
			ending.Wait() // for all to be told
			return ctx.Err()
		}}
		c.keepers[errand.Account{Channel: "telegram", Name: fmt.Sprint(i)}] = k
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
