// Package duty has one worker of an installation at a time do what only one may.
package duty

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"errand/internal/store"
)

// Leases say who has a duty.
type Leases interface {
	LeaseDuty(ctx context.Context, d store.Duty, worker string, ttl time.Duration) (lasts time.Duration, workers []string, err error)
	ReleaseDuty(ctx context.Context, d store.Duty, worker string) error
}

// A Holder does something for as long as its worker has the duty.
type Holder struct {
	Duty    store.Duty
	Worker  string // what this process is called in leases
	Leases  Leases
	TTL     time.Duration // of a lease: after it another worker may have the duty
	Logger  *slog.Logger
	Do      func(ctx context.Context) // until ctx ends: the duty is another's then
	StandBy func()                    // is told that another has the duty; nil: nobody wants to know
}

// Run does it again and again until ctx ends. The lease counts from before the store was
// asked: it is over here before it is over there.
func (h Holder) Run(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		lasts, _, err := h.Leases.LeaseDuty(ctx, h.Duty, h.Worker, h.TTL)
		if err != nil && ctx.Err() == nil {
			h.Logger.Warn("a lease cannot be had; it is tried again", "duty", h.Duty, "error", err)
		}
		if lasts > 0 {
			h.hold(ctx, asked.Add(lasts))
			continue
		}
		if h.StandBy != nil {
			h.StandBy()
		}
		timer := time.NewTimer(h.TTL / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

func (h Holder) hold(ctx context.Context, until time.Time) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() { h.Do(running) })
	defer func() {
		cancel()
		parts.Wait()
		// Another worker is to have it at once, also when this one ends.
		release, done := context.WithTimeout(context.WithoutCancel(ctx), h.TTL)
		defer done()
		if err := h.Leases.ReleaseDuty(release, h.Duty, h.Worker); err != nil {
			h.Logger.Warn("a lease is not given back", "duty", h.Duty, "error", err)
		}
	}()
	for {
		timer := time.NewTimer(time.Until(until) / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		asked := time.Now()
		asking, done := context.WithDeadline(ctx, until)
		lasts, _, err := h.Leases.LeaseDuty(asking, h.Duty, h.Worker, h.TTL)
		done()
		switch {
		case lasts > 0:
			until = asked.Add(lasts)
		case err == nil:
			h.Logger.Warn("what only one worker does ends here: another does it", "duty", h.Duty)
			return
		case time.Now().After(until):
			h.Logger.Warn("what only one worker does ends here: its lease could not be renewed", "duty", h.Duty, "error", err)
			return
		}
	}
}
