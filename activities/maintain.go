package activities

import (
	"context"
	"errors"
	"maps"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Histories deletes what Temporal keeps of ended sessions and of tasks. Package dispatch implements
// it. Its methods may be called again with the same arguments.
type Histories interface {
	Forget(ctx context.Context, key core.SessionKey, session core.SessionID, tasks []string) (int, error)
	// IsRunning reports whether a workflow runs.
	IsRunning(ctx context.Context, id string) (bool, error)
}

// Maintenance deletes data that errand no longer has to keep.
type Maintenance struct {
	*worker
	histories Histories
	policy    store.Policy
	responses *responses
	backup    func(context.Context) (string, error) // nil: this worker has no folder for backups
}

// BeginUpkeep records that maintenance has begun.
func (a *Maintenance) BeginUpkeep(ctx context.Context, in wire.UpkeepInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	a.responses.cancelAbandoned(ctx)
	return failed(a.store.BeginUpkeep(ctx, in.Run))
}

// EndUpkeep stores the report of maintenance.
func (a *Maintenance) EndUpkeep(ctx context.Context, in wire.UpkeepInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	err := a.store.EndUpkeep(ctx, in.Run, in.Done, in.Failed)
	if err == nil {
		a.logger.Info("maintenance done", "run", in.Run, "done", in.Done, "failed", in.Failed)
	}
	return failed(err)
}

// Maintain runs one stage of maintenance in small batches until nothing is left. If an attempt
// dies, the next one continues where it was.
func (a *Maintenance) Maintain(ctx context.Context, in wire.MaintainInput) (wire.MaintainResult, error) {
	if err := a.at(in.Store); err != nil {
		return wire.MaintainResult{}, err
	}
	m := &maintaining{Maintenance: a, in: in, at: progress{Done: store.Deleted{}}, since: time.Now()}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &m.at); err != nil {
			a.logger.Warn("cannot read the progress of maintenance; it starts again", "stage", in.Stage, "error", err)
		}
	}
	run := m.sweep
	switch in.Stage {
	case store.SweepSessions:
		run = m.sessions
	case store.SweepTranscripts:
		run = m.transcripts
	case store.SweepTasks:
		run = m.tasks
	case store.SweepReports: // the last stage
		run = m.last
	}
	a.probe.At(probe.BeforeSweep)
	if err := run(ctx); err != nil {
		return wire.MaintainResult{}, failed(err)
	}
	a.probe.At(probe.AfterSweep)
	return wire.MaintainResult{Done: m.at.Done.Counts()}, nil
}

// A progress is passed to the next attempt in the heartbeat.
type progress struct {
	Done store.Deleted `json:"done"`
	Next string        `json:"next,omitempty"`
}

type maintaining struct {
	*Maintenance
	in    wire.MaintainInput
	at    progress
	since time.Time
}

// pause reports the progress to Temporal and lets others write. It takes as long as the batch did,
// up to 100 ms, so that maintenance uses at most half of the store's time.
func (m *maintaining) pause(ctx context.Context) error {
	m.probe.At(probe.BetweenBatches)
	activity.RecordHeartbeat(ctx, progress{Done: maps.Clone(m.at.Done), Next: m.at.Next})
	wait := time.NewTimer(min(time.Since(m.since), 100*time.Millisecond))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
	}
	m.since = time.Now()
	return nil
}

func (m *maintaining) sweep(ctx context.Context) error {
	for {
		swept, err := m.store.Sweep(ctx, m.in.Stage, m.policy, m.at.Next, 0)
		if err != nil {
			return err
		}
		if swept.Done > 0 {
			m.at.Done[swept.What] += swept.Done
		}
		m.at.Next = swept.Next
		if !swept.More {
			return nil
		}
		if err := m.pause(ctx); err != nil {
			return err
		}
	}
}

func (m *maintaining) last(ctx context.Context) error {
	if err := m.sweep(ctx); err != nil {
		return err
	}
	return m.store.Scrub(ctx, func() error { return m.pause(ctx) })
}

// sessions first marks a session as suspended if its workflow was lost or terminated.
func (m *maintaining) sessions(ctx context.Context) error {
	if m.policy.EndAfter == 0 {
		return nil
	}
	for from := core.SessionID(""); ; {
		idle, err := m.store.IdleSessions(ctx, m.policy.EndAfter, from, expiredAtOnce)
		if err != nil {
			return err
		}
		for _, s := range idle {
			from = s.ID
			running, err := m.histories.IsRunning(ctx, string(s.Key))
			if err != nil {
				return err
			}
			if running {
				continue
			}
			if err := m.store.SuspendSession(ctx, s.ID); err != nil {
				return err
			}
			if err := m.pause(ctx); err != nil {
				return err
			}
		}
		if len(idle) < expiredAtOnce {
			return m.sweep(ctx)
		}
	}
}

const expiredAtOnce = 50

// transcripts deletes Temporal's histories before the rows, because the rows name the histories.
func (m *maintaining) transcripts(ctx context.Context) error {
	for {
		ids, err := m.store.Expired(ctx, m.policy, expiredAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := m.session(ctx, id); err != nil {
				return err
			}
		}
	}
}

func (m *maintaining) session(ctx context.Context, id core.SessionID) error {
	deletion, err := m.store.MarkForDeletion(ctx, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil // deleted by another caller
	}
	if err != nil {
		return err
	}
	if err := m.forget(ctx, deletion.Session.Key, id, deletion.Workflows()); err != nil {
		return err
	}
	gone, err := m.store.DeleteSession(ctx, id, func() error { return m.pause(ctx) })
	m.at.Done.Add(gone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return m.pause(ctx)
}

func (m *maintaining) forget(ctx context.Context, key core.SessionKey, id core.SessionID, workflows []string) error {
	n, err := m.histories.Forget(ctx, key, id, workflows)
	if n > 0 {
		m.at.Done["histories"] += n
	}
	return err
}

func (m *maintaining) tasks(ctx context.Context) error {
	for {
		tasks, err := m.store.ExpiredTasks(ctx, m.policy, expiredAtOnce)
		if err != nil || len(tasks) == 0 {
			return err
		}
		for _, t := range tasks {
			if err := m.forget(ctx, "", "", store.TaskWorkflows(t)); err != nil {
				return err
			}
			gone, err := m.store.DeleteTask(ctx, t.ID, func() error { return m.pause(ctx) })
			m.at.Done.Add(gone)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err := m.pause(ctx); err != nil {
				return err
			}
		}
	}
}
