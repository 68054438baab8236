package reconcile

import (
	"context"
	"maps"
	"sync"
	"time"

	"errand/internal/elect"
	"errand/internal/store"
)

const (
	every      = time.Minute     // between passes
	look       = 5 * time.Second // between looks at which workers live, and between polls of late peers
	exactEvery = 60              // passes: of so many one does not believe Temporal's list
)

// Run has this worker reconcile for as long as it has the lease of it, until ctx is
// done: now, every minute, and whenever a worker has come or gone, for what that one
// had begun. It polls late peers every five seconds. Of all workers one does it, see package elect.
func (r *Reconciler) Run(ctx context.Context) {
	e := &elect.Elector{Leases: r.Store, Of: store.Duty("reconcile"), Owner: r.Worker, Standby: 3 * time.Second, Logger: r.Logger}
	e.Do = func(ctx context.Context) {
		var late sync.WaitGroup
		late.Go(func() { r.pollLatePeers(ctx, e.Holds) })
		r.passes(ctx, e.Holds)
		late.Wait()
	}
	e.Run(ctx)
}

// pollLatePeers does not wait for passes, nor they for it: peers may be slow.
func (r *Reconciler) pollLatePeers(ctx context.Context, isLeader func() bool) {
	looks := time.NewTicker(look)
	defer looks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-looks.C:
		}
		if !isLeader() {
			continue
		}
		if err := r.Service.PollLatePeers(ctx); err != nil && ctx.Err() == nil {
			r.Logger.Warn("poll late peers", "error", err)
		}
	}
}

func (r *Reconciler) passes(ctx context.Context, isLeader func() bool) {
	tick, looks := time.NewTicker(every), time.NewTicker(look)
	defer tick.Stop()
	defer looks.Stop()
	// What is open now, or when a worker comes or goes, may have been left by a process
	// that is gone; otherwise what is a few seconds old may just be under way.
	grace := time.Duration(0)
	for n := 1; ctx.Err() == nil; n++ {
		workers, err := r.Store.Workers(ctx)
		if err == nil {
			p := &pass{Reconciler: r, isLeader: isLeader, exact: n%exactEvery == 0}
			err = p.run(ctx, r.Store.Now().Add(-grace))
		}
		if err != nil && ctx.Err() == nil {
			r.Logger.Warn("watchdog", "error", err)
		}
		for same := true; same; {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				grace, same = every/2, false
			case <-looks.C:
				if now, err := r.Store.Workers(ctx); err == nil && !maps.Equal(now, workers) {
					grace, same = 0, false
				}
			}
		}
	}
}
