package activities

import (
	"context"
	"errors"
	"sync"

	"errand"
)

// How many chats of one account are told things at once, and how many wait for
// it: an account that is slow or down must leave room for the others. Most of
// those who send wait for the pace of their chat, which platforms keep to about a
// message a second: it takes many chats at once to send what an account may.
const (
	sendAtOnce = 64
	waitAtOnce = 100
)

// fewestSlots is how many deliveries a worker has room for at least. Each is one that
// sits and waits.
const fewestSlots = 1000

// DeliverySlots is how many deliveries of so many accounts a worker has room for:
// the chats that wait for accounts that are down are never all that it has.
func DeliverySlots(accounts int) int {
	return max(fewestSlots, accounts*(sendAtOnce+waitAtOnce))
}

var errCrowded = errors.New("many deliveries of this account are under way")

// accountSemaphores bound what is sent at once, each account for itself. The zero value is
// ready.
type accountSemaphores struct {
	mu        sync.Mutex
	byAccount map[errand.Account]*accountSemaphore
}

type accountSemaphore struct {
	sending chan struct{}
	waiting chan struct{}
}

func (l *accountSemaphores) of(a errand.Account) *accountSemaphore {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byAccount == nil {
		l.byAccount = map[errand.Account]*accountSemaphore{}
	}
	if l.byAccount[a] == nil {
		l.byAccount[a] = &accountSemaphore{make(chan struct{}, sendAtOnce), make(chan struct{}, waitAtOnce)}
	}
	return l.byAccount[a]
}

// acquire waits for a place, and returns how to release it.
func (l *accountSemaphore) acquire(ctx context.Context) (release func(), err error) {
	release = func() { <-l.sending }
	select {
	case l.sending <- struct{}{}:
		return release, nil
	default:
	}
	select {
	case l.waiting <- struct{}{}:
		defer func() { <-l.waiting }()
	default:
		return nil, errCrowded
	}
	select {
	case l.sending <- struct{}{}:
		return release, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
