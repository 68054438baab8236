package reconcile

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
)

const (
	workersInterval = time.Second     // between checks for dead workers
	releaseInterval = 2 * time.Second // between passes that release activities
	// pollsEnd is longer than a poll for activities. Until then a suspended worker may be given
	// activities.
	pollsEnd = 75 * time.Second
	listLag  = 10 * time.Second // of Temporal's list of workflows
	// netInterval is between passes without a known reason. They find what no error announced.
	netInterval    = 2 * time.Minute
	doubtInterval  = 5 * time.Second
	maxDoubts      = 6  // intervals with failed requests before a pass is made all the same
	listedEvery    = 30 // netIntervals between passes over everything that Temporal lists
	releasesAtOnce = 8
	listedAtOnce   = 200 // workflows that are checked before a worker that is gone comes first
	recentSteps    = 500
)

// Attempts are the attempts of activities that run in this process.
type Attempts interface {
	// Doubted reports and clears whether a request failed that may have lost an attempt or its
	// result.
	Doubted() bool
	Has(workflow, run, activity string, number int32) bool
}

// watchWorkers expires dead workers. It signals changed when the set of workers has changed, and
// sends to gone until when their activities have to be released.
func (r *Reconciler) watchWorkers(ctx context.Context, isLeader func() bool, changed chan<- struct{}, gone chan<- time.Time) {
	tick := time.NewTicker(workersInterval)
	defer tick.Stop()
	var alive map[string]bool
	var until time.Time // after the last expiry
	for ; ctx.Err() == nil; waitFor(ctx, tick.C) {
		if !isLeader() {
			continue
		}
		expired, err := r.Store.ExpireWorkers(ctx, store.Worker{ID: r.Worker, TTL: r.WorkerTTL})
		if len(expired) > 0 {
			r.Logger.Warn("worker does not answer; others continue its work", "workers", expired)
			until = time.Now().Add(pollsEnd)
		}
		now, errAlive := r.Store.Workers(ctx)
		if err != nil || errAlive != nil || alive != nil && maps.Equal(alive, now) {
			continue // while the store is away, no worker is dead
		}
		if alive != nil {
			select {
			case changed <- struct{}{}:
			default:
			}
		}
		alive = now
		select {
		case gone <- later(until, time.Now()):
		case <-ctx.Done():
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func waitFor(ctx context.Context, tick <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-tick:
	}
}

// releaseDead has Temporal retry the activities of dead workers. It makes passes until one without
// an error has begun after the time from gone. Later it checks everything that Temporal lists,
// among it every open conversation: few of them can have lost an activity.
func (r *Reconciler) releaseDead(ctx context.Context, gone <-chan time.Time) {
	tick, net := time.NewTicker(releaseInterval), time.NewTicker(netInterval)
	defer tick.Stop()
	defer net.Stop()
	var until, released, listed time.Time
	nets := 0
	failing := false // it is logged once
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-gone:
			until = later(until, at)
		case at := <-net.C:
			until = at
			if nets++; nets%listedEvery != 0 {
				listed = at.Add(listLag)
			}
		case <-tick.C:
		}
		began, all := time.Now(), until.Add(listLag)
		var err error
		switch {
		case !released.After(until):
			if err = r.releaseActive(ctx); err == nil {
				released = began
			}
		case listed.Before(all) && began.After(all):
			if err = r.releaseListed(ctx, func() bool { return len(gone) > 0 }); err == nil {
				listed = began
			}
		}
		if isNew := err != nil && !failing; isNew && ctx.Err() == nil && !errors.Is(err, errInterrupted) {
			r.Logger.Warn("activities of dead workers not released; errand will try again", "error", err)
			failing = true
		}
		failing = failing && err != nil
	}
}

func (r *Reconciler) releaseActive(ctx context.Context) error {
	ids, err := r.active(ctx)
	if err != nil {
		return err
	}
	return r.releaseOfDead(ctx, ids)
}

var errInterrupted = errors.New("another worker is gone")

func (r *Reconciler) releaseListed(ctx context.Context, isInterrupted func() bool) error {
	ids, err := r.Dispatch.RunningWorkflows(ctx)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(ids, listedAtOnce) {
		if isInterrupted() {
			return errInterrupted
		}
		if err := r.releaseOfDead(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// releaseOfDead has Temporal retry the attempts of workers that are not alive.
func (r *Reconciler) releaseOfDead(ctx context.Context, ids []string) error {
	alive, err := r.Store.Workers(ctx)
	if err != nil {
		return err
	}
	return r.release(ctx, ids, func(a dispatch.Attempt) bool { return !alive[a.Worker] && !r.isAlive(ctx, a.Worker) })
}

// isAlive reports true if it does not know.
func (r *Reconciler) isAlive(ctx context.Context, worker string) bool {
	alive, err := r.Store.Workers(ctx)
	return err != nil || alive[worker]
}

// release has Temporal retry lost attempts at once. The first error ends it, because Temporal may be
// away. One pass runs at a time, and checks each workflow once: a request to fail an attempt does
// not say which one, and must not hit the next.
func (r *Reconciler) release(ctx context.Context, ids []string, isLost func(dispatch.Attempt) bool) error {
	r.releasing.Lock()
	defer r.releasing.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(releasesAtOnce)
	seen := map[string]bool{"": true}
	for _, id := range ids {
		if ctx.Err() != nil {
			break
		}
		if !seen[id] {
			seen[id] = true
			group.Go(func() error { return r.Dispatch.ReleaseActivities(ctx, id, isLost) })
		}
	}
	return group.Wait()
}

// active returns the ids of the workflows that can have an activity running which takes long. It
// asks only the store, because Temporal's list lags a little. An id may occur more than once.
func (r *Reconciler) active(ctx context.Context) (ids []string, err error) {
	soon := r.Store.Now().AddDate(1, 0, 0) // whatever the clocks of other workers
	addIDs(&ids, &err, r.Store.OpenTurns(ctx, soon), func(k core.SessionKey) string { return string(k) })
	addIDs(&ids, &err, r.Store.WaitingSessions(ctx, soon), func(w store.WaitingSession) string { return string(w.Key) })
	addIDs(&ids, &err, r.Store.UndecidedTasks(ctx, soon), func(t store.UndecidedTask) string { return string(t.Origin.SessionKey) })
	addIDs(&ids, &err, r.Store.UndeliveredAnswers(ctx, soon), func(q store.ClosedQuestion) string { return string(q.Key) })
	recent, errRecent := r.Store.RecentSteps(ctx, recentSteps)
	ids = append(ids, recent...)
	addIDs(&ids, &err, r.Store.OpenRoutes(ctx), dispatch.OutboxID)
	connections, errConnections := r.Store.Connections(ctx)
	for _, c := range connections {
		ids = append(ids, wire.ConnectionID(c.Account))
	}
	addIDs(&ids, &err, r.Store.AllDueWebhooks(ctx, soon), func(w store.DueWebhook) string { return w.ID })
	addIDs(&ids, &err, r.Store.AllDuePushes(ctx, soon), func(p store.DuePush) string { return p.ID })
	for t, errTask := range r.Store.OpenTasks(ctx) {
		err = errors.Join(err, errTask)
		for _, a := range t.Agents {
			ids = append(ids, string(core.SubAgentOwner(t.ID, a)))
		}
	}
	return ids, errors.Join(err, errRecent, errConnections)
}

func addIDs[T any](ids *[]string, err *error, rows iter.Seq2[T, error], id func(T) string) {
	for row, errRow := range rows {
		*err = errors.Join(*err, errRow)
		*ids = append(*ids, id(row))
	}
}

// releaseLost has Temporal retry attempts that it counts as started by this worker, but that do not
// run here, because a request between the two was lost.
func (r *Reconciler) releaseLost(ctx context.Context) {
	tick := time.NewTicker(doubtInterval)
	defer tick.Stop()
	doubts, nets, next := 0, 1, time.Now().Add(netInterval)
	for ; ctx.Err() == nil; waitFor(ctx, tick.C) {
		if r.Attempts.Doubted() {
			if doubts++; doubts < maxDoubts {
				continue // requests may still fail
			}
		}
		if doubts == 0 && time.Now().Before(next) {
			continue
		}
		ids, err := r.active(ctx)
		if err == nil {
			err = r.releaseSuspects(ctx, ids, tick.C)
		}
		if err == nil && (doubts > 0 || nets%listedEvery == 0) {
			if ids, err = r.Dispatch.RunningWorkflows(ctx); err == nil {
				err = r.releaseSuspects(ctx, ids, tick.C)
			}
		}
		switch {
		case err == nil:
			doubts, nets, next = 0, nets+1, time.Now().Add(netInterval)
		case ctx.Err() == nil:
			doubts = max(doubts, 1)
			r.Logger.Warn("lost activities not released; errand will try again", "error", err)
		}
	}
}

// releaseSuspects checks twice, because an attempt may be on its way.
func (r *Reconciler) releaseSuspects(ctx context.Context, ids []string, again <-chan time.Time) error {
	var mu sync.Mutex
	suspects := map[dispatch.Attempt]bool{}
	isMissing := func(a dispatch.Attempt) bool {
		return a.Worker == r.Worker && !r.Attempts.Has(a.Workflow, a.Run, a.Activity, a.Number)
	}
	err := r.release(ctx, ids, func(a dispatch.Attempt) bool {
		if isMissing(a) {
			mu.Lock()
			defer mu.Unlock()
			suspects[a] = true
		}
		return false
	})
	if err != nil || len(suspects) == 0 {
		return err
	}
	waitFor(ctx, again)
	ids = nil
	for a := range suspects {
		ids = append(ids, a.Workflow)
	}
	return r.release(ctx, ids, func(a dispatch.Attempt) bool { return suspects[a] && isMissing(a) })
}
