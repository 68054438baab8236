package reconcile

import (
	"context"
	"slices"
	"sync"
	"time"

	"errand/internal/store"
)

// How one worker of an installation comes to reconcile.
const (
	every      = time.Minute      // between passes
	leaseIs    = 15 * time.Second // after which another takes over from one that does not renew
	renewal    = 5 * time.Second
	standby    = 3 * time.Second // between looks at the lease of another
	exactEvery = 60              // passes: of so many one does not believe Temporal's list
	release    = 5 * time.Second // in which the store is to take the lease back
)

// Run has this worker reconcile for as long as it has the lease of it, until ctx is
// done: now, every minute, and whenever a worker has come or gone, for what that one
// had begun. Of all workers one does it. Another takes over at once if this one ends,
// and if it is killed when its lease is over. One that could not renew its lease changes
// nothing from before that time on.
func (r *Reconciler) Run(ctx context.Context) {
	tick := time.NewTicker(standby)
	defer tick.Stop()
	failing := false
	for ctx.Err() == nil {
		l := &lead{Reconciler: r}
		held, err := l.renew(ctx)
		switch {
		case held:
			l.run(ctx)
			continue
		case err != nil && !failing && ctx.Err() == nil:
			r.Logger.Warn("nobody may be reconciling the store with Temporal: the lease of it cannot be read", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}

// A lead is the time in which this worker has the lease.
type lead struct {
	*Reconciler

	mu      sync.Mutex
	until   time.Time // by this process's clock, which begins to count before the store's
	workers []string  // that lived at the last renewal
}

// isLeader reports whether no other worker can have the lease. It compares times: a
// process that was stopped for longer than its lease knows before its timers do.
func (l *lead) isLeader() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.until)
}

func (l *lead) renew(ctx context.Context) (held bool, err error) {
	asked := time.Now()
	ctx, cancel := context.WithDeadline(ctx, asked.Add(leaseIs))
	defer cancel()
	lasts, workers, err := l.Store.LeaseDuty(ctx, store.DutyReconcile, l.Worker, leaseIs)
	if lasts == 0 {
		return false, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until, l.workers = asked.Add(lasts), workers
	return true, nil
}

// run makes passes until ctx is done or the lease is lost, and gives the lease back.
func (l *lead) run(ctx context.Context) {
	leading, lost := context.WithCancel(ctx)
	changed := make(chan struct{}, 1)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		defer lost()
		l.renewLoop(leading, changed)
	})
	l.Logger.Debug("this worker reconciles the store with Temporal")
	l.passes(leading, changed)
	lost()
	renewing.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), release) // free at once, not when it is over
	defer cancel()
	if err := l.Store.ReleaseDuty(ctx, store.DutyReconcile, l.Worker); err != nil {
		l.Logger.Warn("the lease of reconciling is not given back; it ends by itself", "error", err)
	}
}

// renewLoop renews the lease until it is lost or ctx is done, and tells changed when a
// worker has come or gone.
func (l *lead) renewLoop(ctx context.Context, changed chan<- struct{}) {
	tick := time.NewTicker(renewal)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		before := l.workers // nobody else writes it
		held, err := l.renew(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil && !held, !l.isLeader():
			l.Logger.Warn("another worker reconciles the store with Temporal from now on", "error", err)
			return
		case err != nil:
			l.Logger.Warn("the lease of reconciling is not renewed", "error", err)
		case !slices.Equal(before, l.workers):
			select {
			case changed <- struct{}{}:
			default: // a pass is about to begin
			}
		}
	}
}

// passes makes passes until ctx is done.
func (l *lead) passes(ctx context.Context, changed <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	// What is open now, or when a worker comes or goes, may have been left by a process
	// that is gone; otherwise what is a few seconds old may just be under way.
	grace := time.Duration(0)
	for n := 1; ; n++ {
		p := &pass{Reconciler: l.Reconciler, isLeader: l.isLeader, exact: n%exactEvery == 0}
		if err := p.run(ctx, l.Store.Now().Add(-grace)); err != nil && ctx.Err() == nil {
			l.Logger.Warn("watchdog", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			grace = every / 2
		case <-changed:
			grace = 0
		}
	}
}
