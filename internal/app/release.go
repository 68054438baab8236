package app

import (
	"context"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"errand"
	"errand/internal/dispatch"
	"errand/internal/store"
)

// release fails, to be tried again at once, the activities that a process which
// is gone had begun. It is called before the worker of this process polls, so
// every started activity belongs to a dead one, or to another worker that uses
// this process's Temporal and says in the store that it is alive.
func release(ctx context.Context, d *dispatch.Dispatcher, st *store.Store, log *slog.Logger) {
	ids, err := running(ctx, d, st)
	if err != nil {
		log.Warn("activities of the last process not released; they are retried when their heartbeat is missed", "error", err)
		return
	}
	alive, err := st.Workers(ctx)
	if err != nil {
		log.Warn("activities of the last process not released; they are retried when their heartbeat is missed", "error", err)
		return
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for id := range ids {
		group.Go(func() error {
			if err := d.ReleaseActivities(ctx, id, alive); err != nil {
				log.Debug("activities not released", "workflow", id, "error", err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		log.Warn("activities not released", "error", err)
	}
}

// running returns the ids of the workflows that may have an activity under way:
// those that Temporal lists as running, and, as its list lags a little, those
// that the store knows to be at work.
func running(ctx context.Context, d *dispatch.Dispatcher, st *store.Store) (map[string]bool, error) {
	listed, err := d.RunningWorkflows(ctx)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, id := range listed {
		ids[id] = true
	}
	for t, err := range st.OpenTasks(ctx) {
		if err != nil {
			return nil, err
		}
		ids[string(t.ID)] = true
		for _, a := range t.Agents {
			ids[string(errand.SubAgentOwner(t.ID, a))] = true
		}
	}
	keys, err := st.RunningSessions(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range keys {
		ids[string(k)] = true
	}
	for k, err := range st.Unclaimed(ctx, st.Now()) {
		if err != nil {
			return nil, err
		}
		ids[string(k)] = true
	}
	return ids, nil
}
