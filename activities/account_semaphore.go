package activities

import (
	"context"
	"errors"

	"errand"
	"errand/internal/limit"
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

// accountSemaphores limit what is sent at once on each account.
type accountSemaphores struct {
	sending, waiting *limit.Semaphore[errand.Account]
}

func newAccountSemaphores() *accountSemaphores {
	return &accountSemaphores{limit.NewSemaphore[errand.Account](sendAtOnce), limit.NewSemaphore[errand.Account](waitAtOnce)}
}

// acquire waits for a place of an account, and returns how to release it. It fails with
// errCrowded if many wait already.
func (l *accountSemaphores) acquire(ctx context.Context, at errand.Account) (release func(), err error) {
	if release, ok := l.sending.TryAcquire(at); ok {
		return release, nil
	}
	leave, ok := l.waiting.TryAcquire(at)
	if !ok {
		return nil, errCrowded
	}
	defer leave()
	return l.sending.Acquire(ctx, at)
}
