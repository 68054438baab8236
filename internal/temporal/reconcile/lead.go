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
	every = time.Minute     // between passes
	look  = 5 * time.Second // between checks for living workers
	// latePeers is the interval between polls of late peers that are due. It is less than
	// core.PeerPause: otherwise a peer that becomes due just after a check would wait two pauses.
	latePeers  = 2 * time.Second
	exactEvery = 60 // every exactEvery-th pass does not trust Temporal's list
)

// Run reconciles while this worker has the lease (see package elect), until ctx ends: at once,
// every minute, and whenever a worker starts or disappears, because its work may be lost. In
// between it polls the late peers that are due.
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

// pollLatePeers runs concurrently with passes, because peers may be slow.
func (r *Reconciler) pollLatePeers(ctx context.Context, isLeader func() bool) {
	looks := time.NewTicker(latePeers)
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
	// After a change of workers, open work may be lost. Otherwise work that is a few seconds old
	// may be in progress.
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
