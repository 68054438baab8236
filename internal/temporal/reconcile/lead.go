package reconcile

import (
	"context"
	"sync"
	"time"

	"errand/internal/elect"
	"errand/internal/store"
)

const (
	every = time.Minute // between passes
	// latePeers is the interval between polls of late peers that are due. It is less than
	// core.PeerPause: otherwise a peer that becomes due just after a check would wait two pauses.
	latePeers  = 2 * time.Second
	exactEvery = 60 // every exactEvery-th pass does not trust Temporal's list
)

// Run reconciles while this worker has the lease (see package elect), until ctx ends: at once,
// every minute, and whenever a worker starts or disappears, because its work may be lost. It also
// polls the late peers that are due, and releases the activities of dead workers.
func (r *Reconciler) Run(ctx context.Context) {
	e := &elect.Elector{Leases: r.Store, Of: store.Duty("reconcile"), Owner: r.Worker, Standby: time.Second, Logger: r.Logger}
	e.Do = func(ctx context.Context) {
		changed, gone := make(chan struct{}, 1), make(chan time.Time, 1)
		var beside sync.WaitGroup
		beside.Go(func() { r.pollLatePeers(ctx, e.Holds) })
		beside.Go(func() { r.watchWorkers(ctx, e.Holds, changed, gone) })
		beside.Go(func() { r.releaseDead(ctx, gone) })
		r.passes(ctx, e.Holds, changed)
		beside.Wait()
	}
	var lost sync.WaitGroup
	lost.Go(func() { r.releaseLost(ctx) })
	e.Run(ctx)
	lost.Wait()
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

func (r *Reconciler) passes(ctx context.Context, isLeader func() bool, changed <-chan struct{}) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	// After a change of workers, open work may be lost. Otherwise work that is a few seconds old
	// may be in progress.
	grace := time.Duration(0)
	for n := 1; ctx.Err() == nil; n++ {
		p := &pass{Reconciler: r, isLeader: isLeader, exact: n%exactEvery == 0}
		if err := p.run(ctx, r.Store.Now().Add(-grace)); err != nil && ctx.Err() == nil {
			r.Logger.Warn("watchdog", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
			grace = every / 2
		case <-changed:
			grace = 0
		}
	}
}
