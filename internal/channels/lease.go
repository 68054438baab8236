package channels

import (
	"context"
	"sync"
	"time"
)

// acquire waits for the lease, and returns until when it is safe to be connected.
func (h *LeaseRunner) acquire(ctx context.Context) (time.Time, error) {
	for failing := false; ; {
		until, held, err := h.renew(ctx)
		switch {
		case ctx.Err() != nil:
			return until, ctx.Err()
		case held:
			return until, nil
		case err != nil && !failing:
			h.Logger.Warn("the connection waits: its lease cannot be had", "error", err)
		}
		failing = err != nil
		if !Sleep(ctx, h.Standby) {
			return until, ctx.Err()
		}
	}
}

// renew asks for the lease, or for more of it. The time counts from before the
// store was asked: it is over here before it is over there.
func (h *LeaseRunner) renew(ctx context.Context) (until time.Time, held bool, err error) {
	until = time.Now().Add(h.Patience)
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	held, err = h.Leases.Lease(ctx, h.Account, h.Owner, h.Patience+h.Slack)
	return until, held, err
}

// runLeased is connected until ctx ends, the lease is lost, or its time is over.
func (h *LeaseRunner) runLeased(ctx context.Context, until time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.setStatus(Status{State: Connecting, Since: time.Now()})
	h.setUntil(until)
	defer h.setStatus(Status{State: Connecting})
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	// What is begun from here on is the next holder's, while this one comes down.
	defer h.setUntil(time.Time{})
	parts.Go(func() { h.reconnect(ctx) })
	if h.WhileHeld != nil {
		parts.Go(func() { h.WhileHeld(ctx) })
	}
	up := make(chan struct{}, 1)
	parts.Go(func() { h.notifyConnected(ctx, up) })
	renewed, kept := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(kept)
		h.renewLoop(ctx, renewed, up)
	}()
	// The lease is not to be renewed behind its being given back. But a store that
	// does not answer must not hold up the end.
	defer func() {
		cancel()
		select {
		case <-kept:
		case <-time.After(h.Slack):
		}
	}()
	over := time.NewTimer(time.Until(until))
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			h.Logger.Error("disconnecting: the store could not be reached for " + h.Patience.String() + ", and another worker may connect")
			return
		case until, held := <-renewed:
			if !held {
				h.Logger.Warn("disconnecting: another worker holds the connection")
				return
			}
			h.setUntil(until)
			over.Reset(time.Until(until))
		}
	}
}

// renewLoop renews the lease and keeps the status in the store. It closes renewed when
// the lease is somebody else's, and tells up each time the connection has come up.
func (h *LeaseRunner) renewLoop(ctx context.Context, renewed chan<- time.Time, up chan<- struct{}) {
	tick := time.NewTicker(h.Renew)
	defer tick.Stop()
	unreported := false
	var since time.Time // since when it was up, when that was last told
	report := func() {
		s, reported := h.report(ctx)
		if unreported = !reported; reported && s.State == Connected && !s.Since.Equal(since) {
			since = s.Since
			signal(up)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.changes:
			report()
		case <-tick.C:
			until, held, err := h.renew(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				h.Logger.Warn("the lease of the connection is not renewed", "error", err)
				continue
			case !held:
				close(renewed)
				return
			}
			select {
			case renewed <- until:
			case <-ctx.Done():
				return
			}
			if unreported {
				report()
			}
		}
	}
}
