package app

import (
	"context"
	"log/slog"

	"golang.org/x/sync/errgroup"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
)

// release retries the activities of dead processes at once. It runs before the worker polls. So a
// started activity belongs either to a dead process, or to another worker that uses this process's
// Temporal and that the store knows to be alive.
func release(ctx context.Context, d *dispatch.Dispatcher, st *store.Store, log *slog.Logger) {
	ids, err := running(ctx, d, st)
	if err != nil {
		log.Warn("activities of the last process not released; Temporal retries them when their heartbeat times out", "error", err)
		return
	}
	alive, err := st.Workers(ctx)
	if err != nil {
		log.Warn("activities of the last process not released; Temporal retries them when their heartbeat times out", "error", err)
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

// running adds the workflows that the store knows to be running, because Temporal's list lags a
// little.
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
			ids[string(core.SubAgentOwner(t.ID, a))] = true
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
