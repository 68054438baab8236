package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"errand/internal/store"
)

// shareEvery limits how late this worker learns about other workers and their pauses.
const shareEvery = renewEvery

// shareLimits does nothing if only this process uses the store.
func (a *App) shareLimits() {
	if a.llm == nil || !a.Store.Shared() {
		return
	}
	a.pauses = &pauses{store: a.Store, log: a.log, some: make(chan struct{}, 1)}
	share := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, shareEvery)
		defer cancel()
		workers, paused, err := a.Store.SharedLimits(ctx)
		if err != nil {
			if ctx.Err() == nil {
				a.log.Warn("cannot count the workers; the providers' limits stay unchanged", "error", err)
			}
			return
		}
		a.llm.Share(workers, paused)
		if a.models != nil {
			a.models.Recall(ctx)
		}
	}
	share(context.Background()) // before any call
	a.runUntilStop(func(ctx context.Context) {
		tick := time.NewTicker(shareEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				a.pauses.publish() // no more calls are made
				return
			case <-a.pauses.some:
				a.pauses.publish()
			case <-tick.C:
				share(ctx)
			}
		}
	})
}

// pauses are requests of providers to this worker that other workers do not know yet.
type pauses struct {
	store *store.Store
	log   *slog.Logger

	mu    sync.Mutex
	until map[string]time.Time // by provider, the latest
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
	default: // the pending publish includes this one
	}
}

func (p *pauses) take() map[string]time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	taken := p.until
	p.until = nil
	return taken
}

// pauseProvider does not block the call: another goroutine informs the other workers.
func (a *App) pauseProvider(provider string, wait time.Duration) {
	if a.pauses != nil { // nil: there are no other workers
		a.pauses.add(provider, time.Now().Add(wait))
	}
}

// publish does not stop with the worker, because the store stays open until it returns.
func (p *pauses) publish() {
	ctx, cancel := context.WithTimeout(context.Background(), shareEvery)
	defer cancel()
	for provider, until := range p.take() {
		wait := time.Until(until)
		if wait <= 0 {
			continue
		}
		if err := p.store.PauseProvider(ctx, provider, wait); err != nil {
			p.log.Warn("cannot tell the other workers that a provider asked for a pause", "error", err)
		}
	}
}
