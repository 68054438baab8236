package reconcile

import (
	"context"
	"iter"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
)

const (
	lookForWorkers = time.Second // between checks for dead workers
	releaseAgain   = 2 * time.Second
	// pollsEnd is longer than a poll for activities. Until then a suspended worker may be given
	// activities.
	pollsEnd    = 75 * time.Second
	recentSteps = time.Minute // an attempt sends the messages of its step in less
	doubtFor    = 5 * time.Second
	listLag     = 10 * time.Second // of Temporal's list of workflows
)

// Attempts are the attempts of activities that run in this process.
type Attempts interface {
	// Doubted reports, once, whether an attempt, or its result, may have been lost on its way.
	Doubted() bool
	Has(workflow, activity string, number int32) bool
}

// watchWorkers expires workers that are dead, and has Temporal retry the attempts of workers that
// are gone. It sends to changed after a change of workers.
func (r *Reconciler) watchWorkers(ctx context.Context, isLeader func() bool, changed chan<- struct{}) {
	tick := time.NewTicker(lookForWorkers)
	defer tick.Stop()
	var listed sync.WaitGroup
	defer listed.Wait()
	var alive map[string]bool
	var next, until time.Time // the next release, and the end of releases
	for ; ctx.Err() == nil; waitFor(ctx, tick.C) {
		if !isLeader() {
			continue
		}
		expired, err := r.Store.ExpireWorkers(ctx, r.worker())
		now, failed := r.Store.Workers(ctx)
		if err != nil || failed != nil {
			continue // while the store is away, no worker is dead
		}
		if isFirst := alive == nil; isFirst || !maps.Equal(alive, now) {
			alive, next = now, time.Now()
			until = next
			if len(expired) > 0 {
				r.Logger.Warn("worker does not answer; others continue its work", "workers", expired)
				until = next.Add(pollsEnd)
			}
			if !isFirst {
				select {
				case changed <- struct{}{}:
				default:
				}
			}
		}
		if at := time.Now(); !at.Before(next) && !next.After(until) {
			isLost := func(a dispatch.Attempt) bool { return !now[a.Worker] && !r.isAlive(ctx, a.Worker) }
			r.release(ctx, r.active(ctx), 8, isLost)
			if next = at.Add(releaseAgain); next.After(until) {
				listed.Go(func() { r.releaseListed(ctx, isLost) })
			}
		}
	}
}

func waitFor(ctx context.Context, tick <-chan time.Time) {
	select {
	case <-ctx.Done():
	case <-tick:
	}
}

// isAlive reports true if it does not know.
func (r *Reconciler) isAlive(ctx context.Context, worker string) bool {
	alive, err := r.Store.Workers(ctx)
	return err != nil || alive[worker]
}

// releaseListed checks also the workflows that active does not return, among them every open
// conversation. There may be thousands, and few can have lost an attempt.
func (r *Reconciler) releaseListed(ctx context.Context, isLost func(dispatch.Attempt) bool) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(listLag):
	}
	r.release(ctx, r.Dispatch.RunningWorkflows(ctx), 1, isLost)
}

// release has Temporal retry lost attempts at once.
func (r *Reconciler) release(ctx context.Context, ids iter.Seq2[string, error], atOnce int, isLost func(dispatch.Attempt) bool) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for id, err := range ids {
		if err != nil {
			r.Logger.Warn("activities of dead workers not released; errand will try again when a worker starts or ends", "error", err)
			break
		}
		group.Go(func() error {
			if err := r.Dispatch.ReleaseActivities(ctx, id, isLost); err != nil {
				r.Logger.Debug("activities not released", "workflow", id, "error", err)
			}
			return ctx.Err()
		})
	}
	_ = group.Wait() // the end of ctx
}

// active returns the ids of the workflows that can have an activity running, except one that times
// out after a few seconds. It asks only the store, because Temporal's list lags a little.
func (r *Reconciler) active(ctx context.Context) iter.Seq2[string, error] {
	now := r.Store.Now().Add(time.Second) // rows of other workers may be a little ahead
	return func(yield func(string, error) bool) {
		_ = idsOf(r.Store.OpenTurns(ctx, now), yield, func(k core.SessionKey) string { return string(k) }) &&
			idsOf(r.Store.WaitingSessions(ctx, now), yield, func(w store.WaitingSession) string { return string(w.Key) }) &&
			idsOf(r.Store.UndecidedTasks(ctx, now), yield, func(t store.UndecidedTask) string { return string(t.Origin.SessionKey) }) &&
			idsOf(r.Store.RecentSteps(ctx, recentSteps), yield, func(id string) string { return id }) &&
			idsOf(r.Store.OpenRoutes(ctx), yield, dispatch.OutboxID) &&
			idsOf(r.accounts(ctx), yield, wire.ConnectionID) &&
			idsOf(r.Store.AllDueWebhooks(ctx, now), yield, func(w store.DueWebhook) string { return w.ID }) &&
			idsOf(r.subAgents(ctx), yield, func(o core.Owner) string { return string(o) })
	}
}

func idsOf[T any](rows iter.Seq2[T, error], yield func(string, error) bool, id func(T) string) bool {
	last := ""
	for row, err := range rows {
		now := id(row)
		if err == nil && now == last || err == nil && now == "" {
			continue // several rows of one workflow follow each other
		}
		if last = now; !yield(now, err) {
			return false
		}
	}
	return true
}

func (r *Reconciler) accounts(ctx context.Context) iter.Seq2[core.Account, error] {
	return func(yield func(core.Account, error) bool) {
		list, err := r.Store.Connections(ctx)
		if err != nil {
			yield(core.Account{}, err)
			return
		}
		for _, c := range list {
			if !yield(c.Account, nil) {
				return
			}
		}
	}
}

func (r *Reconciler) subAgents(ctx context.Context) iter.Seq2[core.Owner, error] {
	return func(yield func(core.Owner, error) bool) {
		for t, err := range r.Store.OpenTasks(ctx) {
			if err != nil {
				yield("", err)
				return
			}
			for _, a := range t.Agents {
				if !yield(core.SubAgentOwner(t.ID, a), nil) {
					return
				}
			}
		}
	}
}

// releaseLost has Temporal retry attempts that it counts as started by this worker, but that do not
// run here, because a request between the two failed.
func (r *Reconciler) releaseLost(ctx context.Context) {
	tick := time.NewTicker(doubtFor)
	defer tick.Stop()
	for doubted := false; ctx.Err() == nil; waitFor(ctx, tick.C) {
		if r.Attempts.Doubted() {
			doubted = true // requests may still fail
			continue
		}
		if !doubted {
			continue
		}
		doubted = false
		var mu sync.Mutex
		suspects := map[dispatch.Attempt]bool{}
		r.release(ctx, r.Dispatch.RunningWorkflows(ctx), 2, func(a dispatch.Attempt) bool {
			if a.Worker == r.Worker && !r.Attempts.Has(a.Workflow, a.Activity, a.Number) {
				mu.Lock()
				defer mu.Unlock()
				suspects[a] = true
			}
			return false
		})
		if len(suspects) == 0 {
			continue
		}
		waitFor(ctx, tick.C) // it may have been on its way
		for a := range suspects {
			err := r.Dispatch.ReleaseActivities(ctx, a.Workflow, func(now dispatch.Attempt) bool {
				return suspects[now] && !r.Attempts.Has(now.Workflow, now.Activity, now.Number)
			})
			if err != nil {
				r.Logger.Debug("activities not released", "workflow", a.Workflow, "error", err)
			}
		}
	}
}

func (r *Reconciler) worker() store.Worker { return store.Worker{ID: r.Worker, TTL: r.WorkerTTL} }
