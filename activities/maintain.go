package activities

import (
	"context"
	"errors"
	"maps"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
)

// Histories deletes what Temporal keeps of a session that is over, and of tasks;
// package dispatch implements it. It may be called again with the same arguments.
type Histories interface {
	Forget(ctx context.Context, key errand.SessionKey, session errand.SessionID, tasks []string) (int, error)
	// IsRunning reports whether a workflow runs.
	IsRunning(ctx context.Context, id string) (bool, error)
}

// An UpkeepInput names a run of maintenance.
type UpkeepInput struct {
	Store  string        `json:"store"`
	Run    string        `json:"run"`
	Done   []store.Count `json:"done,omitempty"`   // at its end
	Failed []string      `json:"failed,omitempty"` // likewise: stages
}

// BeginUpkeep notes that maintenance has begun.
func (a *Activities) BeginUpkeep(ctx context.Context, in UpkeepInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	a.cancelAbandoned(ctx)
	return failed(a.Store.BeginUpkeep(ctx, in.Run))
}

// EndUpkeep keeps the report of maintenance.
func (a *Activities) EndUpkeep(ctx context.Context, in UpkeepInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	err := a.Store.EndUpkeep(ctx, in.Run, in.Done, in.Failed)
	if err == nil {
		a.Logger.Info("maintenance done", "run", in.Run, "done", in.Done, "failed", in.Failed)
	}
	return failed(err)
}

// A MaintainInput names a stage of maintenance.
type MaintainInput struct {
	Store string      `json:"store"`
	Stage store.Stage `json:"stage"`
	// Policy is what the run was started with, for people to read. What is deleted
	// goes by the policy of the worker's configuration only: whoever can start a
	// workflow does not decide that.
	Policy store.Policy `json:"policy"`
}

// A MaintainResult is what a stage has done.
type MaintainResult struct {
	Done []store.Count `json:"done,omitempty"`
}

// Maintain runs one stage of maintenance in small batches until nothing is left.
// An attempt that died leaves nothing half done but the stage, and the next one
// goes on where it was.
func (a *Activities) Maintain(ctx context.Context, in MaintainInput) (MaintainResult, error) {
	if err := a.at(in.Store); err != nil {
		return MaintainResult{}, err
	}
	m := &maintaining{Activities: a, in: in, at: progress{Done: store.Deleted{}}, since: time.Now()}
	if activity.HasHeartbeatDetails(ctx) {
		if err := activity.GetHeartbeatDetails(ctx, &m.at); err != nil {
			a.Logger.Warn("progress of maintenance not understood; it begins again", "stage", in.Stage, "error", err)
		}
	}
	m.note()
	defer m.beat(ctx)()
	run := m.sweep
	switch in.Stage {
	case store.SweepSessions:
		run = m.sessions
	case store.SweepTranscripts:
		run = m.transcripts
	case store.SweepTasks:
		run = m.tasks
	case store.SweepReports: // the last one
		run = m.last
	}
	a.Probe.At(probe.BeforeSweep)
	if err := run(ctx); err != nil {
		return MaintainResult{}, failed(err)
	}
	a.Probe.At(probe.AfterSweep)
	return MaintainResult{Done: m.at.Done.Counts()}, nil
}

// A progress is what the next attempt knows of this one.
type progress struct {
	Done store.Deleted `json:"done"`
	Next string        `json:"next,omitempty"`
}

type maintaining struct {
	*Activities
	in    MaintainInput
	at    progress
	since time.Time // when the batch began
	noted atomic.Pointer[progress]
}

func (m *maintaining) note() {
	m.noted.Store(&progress{Done: maps.Clone(m.at.Done), Next: m.at.Next})
}

// beat tells Temporal how far it was at the end of the last batch: one may take
// longer than a heartbeat may be late.
func (m *maintaining) beat(ctx context.Context) (stop func()) {
	return beatWith(ctx, func() []any { return []any{*m.noted.Load()} })
}

// pause tells Temporal how far it is and lets others write: as long as the batch
// took, so that maintenance never has more than half of the store.
func (m *maintaining) pause(ctx context.Context) error {
	m.Probe.At(probe.BetweenBatches)
	m.note()
	activity.RecordHeartbeat(ctx, *m.noted.Load())
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
		swept, err := m.Store.Sweep(ctx, m.in.Stage, m.Policy, m.at.Next, 0)
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

// last sweeps, and then makes what maintenance has deleted unreadable in the
// files of the store.
func (m *maintaining) last(ctx context.Context) error {
	if err := m.sweep(ctx); err != nil {
		return err
	}
	return m.Store.Scrub(ctx, func() error { return m.pause(ctx) })
}

// sessions ends those that nobody has used for long. One whose workflow was lost,
// terminated or left in another Temporal, was never marked as suspended: that is
// made up for first.
func (m *maintaining) sessions(ctx context.Context) error {
	if m.Policy.EndAfter == 0 {
		return nil
	}
	for from := errand.SessionID(""); ; {
		idle, err := m.Store.IdleSessions(ctx, m.Policy.EndAfter, from, expiredAtOnce)
		if err != nil {
			return err
		}
		for _, s := range idle {
			from = s.ID
			running, err := m.Histories.IsRunning(ctx, string(s.Key))
			if err != nil {
				return err
			}
			if running {
				continue
			}
			if err := m.Store.SuspendSession(ctx, s.ID); err != nil {
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

// transcripts deletes the sessions that are past their time: their histories
// first, as long as the store knows of them, and then their rows.
func (m *maintaining) transcripts(ctx context.Context) error {
	for {
		ids, err := m.Store.Expired(ctx, m.Policy, expiredAtOnce)
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

func (m *maintaining) session(ctx context.Context, id errand.SessionID) error {
	deletion, err := m.Store.MarkForDeletion(ctx, id, false)
	if errors.Is(err, store.ErrNotFound) {
		return nil // somebody else deletes it, too
	}
	if err != nil {
		return err
	}
	if err := m.forget(ctx, deletion.Session.Key, id, deletion.Workflows()); err != nil {
		return err
	}
	gone, err := m.Store.DeleteSession(ctx, id, func() error { return m.pause(ctx) })
	m.at.Done.Add(gone)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return m.pause(ctx)
}

func (m *maintaining) forget(ctx context.Context, key errand.SessionKey, id errand.SessionID, workflows []string) error {
	n, err := m.Histories.Forget(ctx, key, id, workflows)
	if n > 0 {
		m.at.Done["histories"] += n
	}
	return err
}

// tasks deletes tasks of no session that are past their time.
func (m *maintaining) tasks(ctx context.Context) error {
	for {
		tasks, err := m.Store.ExpiredTasks(ctx, m.Policy, expiredAtOnce)
		if err != nil || len(tasks) == 0 {
			return err
		}
		for _, t := range tasks {
			if err := m.forget(ctx, "", "", store.TaskWorkflows(t)); err != nil {
				return err
			}
			gone, err := m.Store.DeleteTask(ctx, t.ID, func() error { return m.pause(ctx) })
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
