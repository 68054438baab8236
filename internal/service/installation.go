package service

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/dispatch"
	"errand/internal/texts"
)

// Limits of waking workflows. A workflow that is not woken notices the change within a minute.
const (
	resumeAtOnce = 16
	resumeWithin = 30 * time.Second
)

// Installation has the operations on errand as a whole.
type Installation struct {
	*Env
	dispatch    *dispatch.Dispatcher
	accounts    agents.Accounts
	models      *Models
	about       api.About // the fixed parts: Demo, Version, Programs and WebUI
	crowded     func() []core.CrowdedAgent
	backUpEvery time.Duration
	metrics     *telemetry.Metrics
	numbers     countCache
}

func (n *Installation) bind(r *ops.Runner) {
	ops.Bind(r, api.GetAbout, n.getAbout)
	ops.Bind(r, api.GetMetrics, n.getMetrics)
	ops.Bind(r, api.Pause, n.pause)
	ops.Bind(r, api.Resume, n.resume)
	ops.Bind(r, api.ListCleanUps, n.cleanUps)
	ops.Bind(r, api.StartCleanUp, n.startCleanUp)
}

func (n *Installation) getAbout(ctx context.Context, by actor.Actor, _ api.None) (api.About, error) {
	return n.aboutFor(ctx, by)
}

func (n *Installation) aboutFor(ctx context.Context, by actor.Actor) (api.About, error) {
	out := n.about
	var err error
	if out.Paused, err = n.Store.Paused(ctx); err != nil {
		return out, err
	}
	out.Models, out.Crowded = n.models.states(by), []core.CrowdedAgent{}
	names := n.readersTexts(by)
	for _, role := range core.Roles() {
		out.Roles = append(out.Roles, api.RoleName{Role: role, Name: n.RoleName(role, names)})
	}
	if !by.IsMasterAdmin() {
		out.WebUI = "" // the Web UI shows and changes the workflows of all people
		return out, nil
	}
	if n.crowded != nil {
		out.Crowded = n.crowded()
	}
	out.Backup, err = n.backup(ctx, names)
	return out, err
}

// backup reports a problem if the latest attempt failed, or if two runs were missed.
func (n *Installation) backup(ctx context.Context, words texts.Texts) (api.BackupState, error) {
	if n.backUpEvery == 0 {
		return api.BackupState{}, nil
	}
	last, err := store.LastBackup(ctx, n.Store)
	out := api.BackupState{Scheduled: true, File: last.File, Made: last.Made, Problem: last.Error}
	if due := last.Made.Add(2 * n.backUpEvery); out.Problem == "" && !last.Made.IsZero() && n.Store.Now().After(due) {
		out.Problem = words.Localize("backup.overdue", "time", due.UTC().Format(time.RFC3339))
	}
	return out, err
}

// pause closes the budget of the whole installation, so that no model call starts.
func (n *Installation) pause(ctx context.Context, by actor.Actor, _ api.None) (api.Paused, error) {
	return api.Paused{Paused: true}, n.Store.Pause(ctx, by.Person)
}

// resume opens the budget again, and wakes the workflows that wait for it, on any worker.
func (n *Installation) resume(ctx context.Context, _ actor.Actor, _ api.None) (api.Paused, error) {
	if err := n.Store.Resume(ctx); err != nil {
		return api.Paused{}, err
	}
	// Wake the workflows even if the caller is gone.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeWithin)
	defer cancel()
	if err := n.wakePaused(ctx); err != nil {
		n.Logger.Warn("resumed; some waiting work continues only within a minute", "error", err)
	}
	return api.Paused{}, nil
}

func (n *Installation) wakePaused(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(resumeAtOnce)
	seen := map[string]bool{}
	wake := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		group.Go(func() error { return n.dispatch.Resume(ctx, id) })
	}
	// Conversations come first, because people wait for them.
	err := n.eachAtWork(ctx, func(key core.SessionKey) { wake(string(key)) }, func(t core.Task) {
		for _, a := range t.Agents {
			wake(string(core.SubAgentOwner(t.ID, a)))
		}
	})
	return errors.Join(err, group.Wait())
}

func (n *Installation) eachAtWork(ctx context.Context, session func(core.SessionKey), task func(core.Task)) error {
	soon := n.Store.Now().Add(time.Minute)
	for waiting, err := range n.Store.WaitingSessions(ctx, soon) {
		if err != nil {
			return err
		}
		session(waiting.Key)
	}
	for key, err := range n.Store.OpenTurns(ctx, soon) {
		if err != nil {
			return err
		}
		session(key)
	}
	for t, err := range n.Store.UndecidedTasks(ctx, soon) {
		if err != nil {
			return err
		}
		if t.Parent == "" && t.Origin.SessionKey != "" {
			session(t.Origin.SessionKey)
		}
	}
	for t, err := range n.Store.OpenTasks(ctx) {
		if err != nil {
			return err
		}
		task(t)
	}
	return nil
}

// startCleanUp starts a clean-up, now or after the running one, and does not wait for it.
func (n *Installation) startCleanUp(ctx context.Context, _ actor.Actor, _ api.None) (api.StartedCleanUp, error) {
	return api.StartedCleanUp{Started: true}, n.dispatch.RunMaintenance(ctx)
}

func (n *Installation) cleanUps(ctx context.Context, _ actor.Actor, in api.ListCleanUpsInput) ([]api.CleanUp, error) {
	runs, err := n.Store.Upkeeps(ctx, in.Limit)
	list := make([]api.CleanUp, len(runs))
	for i, u := range runs {
		list[i] = api.CleanUp{ID: u.ID, Started: u.Started, Finished: u.Finished, Report: u.Done, Failed: u.Failed}
	}
	return list, err
}

// Ready returns an error if errand cannot accept messages and work on them.
func (i *Internal) Ready(ctx context.Context) error {
	if err := i.Store.Ping(ctx); err != nil {
		return &NotReady{"store", err}
	}
	if err := i.Dispatch.Ping(ctx); err != nil {
		return &NotReady{"temporal", err}
	}
	return nil
}

// NotReady reports which service that a worker depends on does not answer.
type NotReady struct {
	Part string // store or temporal
	Err  error  // only for the log: it may contain addresses
}

func (n *NotReady) Error() string { return n.Part + " does not answer: " + n.Err.Error() }
func (n *NotReady) Unwrap() error { return n.Err }
