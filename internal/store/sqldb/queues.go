package sqldb

import (
	"context"
	"errors"
	"sync"
	"time"
)

// queueWait is how long a transaction waits in this process for the one before it of
// its key. PostgreSQL ends that one sooner if it stands still.
const queueWait = 10 * time.Second

var errContended = errors.New("another transaction that locks the same has not ended in time; it is worth another attempt")

// queues have the transactions of this process that have one key wait for each other
// here, and not in PostgreSQL, where each that waits has a connection that others need:
// only the first of a key has one, and all keys together fewer than there are.
type queues struct {
	mu     sync.Mutex
	at     map[string]*queue
	places chan struct{}
}

type queue struct {
	turn chan struct{} // has one element while a transaction is at work
	here int           // transactions at work or waiting
}

// enter waits until no other transaction of the key is at work here, and there is a
// place. Whoever has entered leaves.
func (c *queues) enter(ctx context.Context, key string, stats *lockStats) (leave func(), err error) {
	end := time.NewTimer(queueWait)
	defer end.Stop()
	into := func(places chan struct{}) error {
		select {
		case places <- struct{}{}:
			return nil
		default:
		}
		asked := time.Now()
		defer func() { stats.wait(time.Since(asked)) }()
		select {
		case places <- struct{}{}:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			return errContended
		}
	}
	c.mu.Lock()
	at := c.at[key]
	if at == nil {
		at = &queue{turn: make(chan struct{}, 1)}
		c.at[key] = at
	}
	at.here++
	c.mu.Unlock()
	gone := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if at.here--; at.here == 0 {
			delete(c.at, key)
		}
	}
	if err := into(at.turn); err != nil {
		gone()
		return nil, err
	}
	if err := into(c.places); err != nil {
		<-at.turn
		gone()
		return nil, err
	}
	return func() {
		<-c.places
		<-at.turn
		gone()
	}, nil
}
