package activities

import (
	"context"
	"errors"

	"errand/internal/core"
	"errand/internal/limit"
)

// Each account has its own limits, so that a slow account leaves room for the others. Many
// deliveries may wait at once: most of them wait for the pace of their chat, which is about one
// message a second.
const (
	sendAtOnce = 64
	waitAtOnce = 100
)

// fewestSlots is large because most deliveries only wait.
const fewestSlots = 1000

// DeliverySlots returns how many deliveries a worker runs at once. It leaves slots free even if
// every account is down and has as many waiting deliveries as it may.
func DeliverySlots(accounts int) int {
	return max(fewestSlots, accounts*(sendAtOnce+waitAtOnce))
}

var errCrowded = errors.New("many deliveries of this account are under way")

type accountSemaphores struct {
	sending, waiting *limit.Semaphore[core.Account]
}

func newAccountSemaphores() *accountSemaphores {
	return &accountSemaphores{limit.NewSemaphore[core.Account](sendAtOnce), limit.NewSemaphore[core.Account](waitAtOnce)}
}

func (l *accountSemaphores) acquire(ctx context.Context, at core.Account) (release func(), err error) {
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
