package activities

import (
	"context"
	"sync"
	"time"
)

// Liveness is how long no other worker can take this one for dead. Its zero value is alive until
// the first Extend.
type Liveness struct {
	mu    sync.Mutex
	until time.Time
}

// Extend notes until when the worker is certainly alive.
func (l *Liveness) Extend(until time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = until
}

// IsAlive compares both clocks of this machine, because one of them stops while it is suspended.
func (l *Liveness) IsAlive() bool {
	left, limited := l.left()
	return !limited || left > 0
}

func (l *Liveness) left() (left time.Duration, limited bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	return min(l.until.Sub(now), l.until.Round(0).Sub(now.Round(0))), !l.until.IsZero()
}

// WhileAlive returns a context that ends when another worker may have taken this one for dead.
func (l *Liveness) WhileAlive(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for {
			left, limited := l.left()
			if !limited {
				left = time.Second
			}
			if left <= 0 {
				cancel(errStoodStill)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(left):
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
