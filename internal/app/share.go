package app

import (
	"context"
	"sync"
	"time"
)

// shareEvery is how soon this worker knows what the limits of providers depend on: how
// many workers live, and who asked another worker not to be called.
const shareEvery = renewEvery

// shareLimits has the limits of providers hold for all workers together, until Stop. A
// store that is this process's alone has nobody to share with.
func (a *App) shareLimits() {
	if a.llm == nil || !a.Store.Shared() {
		return
	}
	a.pauses = &pauses{some: make(chan struct{}, 1)}
	share := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, shareEvery)
		defer cancel()
		workers, paused, err := a.Store.SharedLimits(ctx)
		if err != nil {
			if ctx.Err() == nil {
				a.log.Warn("how many workers there are is not known; the limits of providers stay as they are", "error", err)
			}
			return
		}
		a.llm.Share(workers, paused)
	}
	share(context.Background()) // before any call is made
	a.runUntilStop(func(ctx context.Context) {
		tick := time.NewTicker(shareEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				a.publishPauses() // the calls have ended before
				return
			case <-a.pauses.some:
				a.publishPauses()
			case <-tick.C:
				share(ctx)
			}
		}
	})
}

// pauses are what providers asked of this worker, until the others are told.
type pauses struct {
	mu    sync.Mutex
	until map[string]time.Time // by provider, the longest
	some  chan struct{}
}

func (p *pauses) add(provider string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.until == nil {
		p.until = map[string]time.Time{}
	}
	if until.After(p.until[provider]) {
		p.until[provider] = until
	}
	select {
	case p.some <- struct{}{}:
	default: // what is told next has this one, too
	}
}

func (p *pauses) take() map[string]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.until
	p.until = nil
	return taken
}

// pauseProvider has the other workers told that a provider asked not to be called for a
// while. The call that was told so does not wait for it.
func (a *App) pauseProvider(provider string, wait time.Duration) {
	if a.pauses != nil { // nil: there are no others
		a.pauses.add(provider, time.Now().Add(wait))
	}
}

// publishPauses goes on when this worker stops, which waits for it: the store is open until
// then.
func (a *App) publishPauses() {
	ctx, cancel := context.WithTimeout(context.Background(), shareEvery)
	defer cancel()
	for provider, until := range a.pauses.take() {
		wait := time.Until(until)
		if wait <= 0 {
			continue
		}
		if err := a.Store.PauseProvider(ctx, provider, wait); err != nil {
			a.log.Warn("the other workers are not told that a provider asked for a pause", "error", err)
		}
	}
}
