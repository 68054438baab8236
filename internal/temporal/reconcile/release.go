package reconcile

import (
	"context"
	"errors"
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
	workersInterval = time.Second     // between checks for dead workers
	releaseInterval = 2 * time.Second // between passes that release activities
	// pollsEnd is longer than a poll for activities. Until then a suspended worker may be given
	// activities.
	pollsEnd = 75 * time.Second
	listLag  = 10 * time.Second // of Temporal's list of workflows
	// netInterval is between passes without a known reason. They find what no error announced.
	netInterval    = 5 * time.Minute
	doubtInterval  = 5 * time.Second
	maxDoubts      = 6  // intervals with failed requests before a pass is made all the same
	listedEvery    = 12 // netIntervals between passes over everything that Temporal lists
	releasesAtOnce = 8
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
	for ; ctx.Err() == nil; waitFor(ctx, tick.C) {
		if !isLeader() {
			continue
		}
		until := time.Now()
		expired, err := r.Store.ExpireWorkers(ctx, store.Worker{ID: r.Worker, TTL: r.WorkerTTL})
		if len(expired) > 0 {
			r.Logger.Warn("worker does not answer; others continue its work", "workers", expired)
			until = until.Add(pollsEnd)
		}
		now, errAlive := r.Store.Workers(ctx)
		if err != nil || errAlive != nil && len(expired) == 0 {
			continue // while the store is away, no worker is dead
		}
		if alive != nil && maps.Equal(alive, now) {
			continue
		}
		if alive != nil {
			notify(changed, struct{}{})
		}
		alive = now
		select {
		case gone <- until:
		case <-ctx.Done():
		}
	}
}

func notify[T any](to chan<- T, value T) {
	select {
	case to <- value:
	default:
	}
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
	made := func(ids iter.Seq2[string, error]) bool {
		err := r.releaseOfDead(ctx, ids)
		if err != nil && ctx.Err() == nil && !failing && !errors.Is(err, errInterrupted) {
			r.Logger.Warn("activities of dead workers not released; errand will try again", "error", err)
			failing = true
		}
		failing = failing && err != nil
		return err == nil
	}
	for {
		select {
		case <-ctx.Done():
			return
		case at := <-gone:
			if at.After(until) {
				until = at
			}
		case at := <-net.C:
			until = at
			if nets++; nets%listedEvery != 0 {
				listed = at.Add(listLag)
			}
		case <-tick.C:
		}
		began := time.Now()
		switch all := until.Add(listLag); {
		case !released.After(until):
			if made(r.active(ctx)) {
				released = began
			}
		case listed.Before(all) && began.After(all):
			if made(interrupted(r.Dispatch.RunningWorkflows(ctx), func() bool { return len(gone) > 0 })) {
				listed = began
			}
		}
	}
}

var errInterrupted = errors.New("another worker is gone")

func interrupted(ids iter.Seq2[string, error], is func() bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for id, err := range ids {
			if is() {
				yield("", errInterrupted)
				return
			}
			if !yield(id, err) {
				return
			}
		}
	}
}

// releaseOfDead has Temporal retry the attempts of workers that are not alive.
func (r *Reconciler) releaseOfDead(ctx context.Context, ids iter.Seq2[string, error]) error {
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
func (r *Reconciler) release(ctx context.Context, ids iter.Seq2[string, error], isLost func(dispatch.Attempt) bool) error {
	r.releasing.Lock()
	defer r.releasing.Unlock()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(releasesAtOnce)
	seen := map[string]bool{"": true}
	for id, err := range ids {
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		if ctx.Err() != nil {
			break
		}
		if seen[id] {
			continue
		}
		seen[id] = true
		group.Go(func() error { return r.Dispatch.ReleaseActivities(ctx, id, isLost) })
	}
	return group.Wait()
}

// active returns the ids of the workflows that can have an activity running which takes long. It
// asks only the store, because Temporal's list lags a little.
func (r *Reconciler) active(ctx context.Context) iter.Seq2[string, error] {
	soon := r.Store.Now().AddDate(1, 0, 0) // whatever the clocks of other workers
	return func(yield func(string, error) bool) {
		_ = idsOf(r.Store.OpenTurns(ctx, soon), yield, func(k core.SessionKey) string { return string(k) }) &&
			idsOf(r.Store.WaitingSessions(ctx, soon), yield, func(w store.WaitingSession) string { return string(w.Key) }) &&
			idsOf(r.Store.UndecidedTasks(ctx, soon), yield, func(t store.UndecidedTask) string { return string(t.Origin.SessionKey) }) &&
			idsOf(r.Store.UndeliveredAnswers(ctx, soon), yield, func(q store.ClosedQuestion) string { return string(q.Key) }) &&
			idsOf(r.Store.RecentSteps(ctx, recentSteps), yield, func(id string) string { return id }) &&
			idsOf(r.Store.OpenRoutes(ctx), yield, dispatch.OutboxID) &&
			idsOf(r.accounts(ctx), yield, wire.ConnectionID) &&
			idsOf(r.Store.AllDueWebhooks(ctx, soon), yield, func(w store.DueWebhook) string { return w.ID }) &&
			idsOf(r.Store.AllDuePushes(ctx, soon), yield, func(p store.DuePush) string { return p.ID }) &&
			idsOf(r.subAgents(ctx), yield, func(o core.Owner) string { return string(o) })
	}
}

func idsOf[T any](rows iter.Seq2[T, error], yield func(string, error) bool, id func(T) string) bool {
	for row, err := range rows {
		if !yield(id(row), err) {
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
		err := r.releaseSuspects(ctx, r.active(ctx), tick.C)
		if err == nil && (doubts > 0 || nets%listedEvery == 0) {
			err = r.releaseSuspects(ctx, r.Dispatch.RunningWorkflows(ctx), tick.C)
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
func (r *Reconciler) releaseSuspects(ctx context.Context, ids iter.Seq2[string, error], again <-chan time.Time) error {
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
	return r.release(ctx, workflowsOf(suspects), func(a dispatch.Attempt) bool { return suspects[a] && isMissing(a) })
}

func workflowsOf(attempts map[dispatch.Attempt]bool) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for a := range attempts {
			if !yield(a.Workflow, nil) {
				return
			}
		}
	}
}
