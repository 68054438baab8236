// Package reconcile makes the store and Temporal agree again after one of them, or
// a worker, was gone: it signals, starts and ends what the store knows to be open.
package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"errand"
	"errand/internal/dispatch"
	"errand/internal/store"
)

// Service is what a Reconciler has done by the rules for people and programs. All
// methods may be called again with the same arguments.
type Service interface {
	// AcceptWrote accepts what somebody wrote before they were let in with a code.
	AcceptWrote(ctx context.Context, code string) error
	// EndTask ends a task and everything it delegated.
	EndTask(ctx context.Context, id errand.TaskID, reason string) (errand.Task, error)
	// NoteGoneAccounts says of what has waited since before a time for an account
	// that no worker has what it waits for.
	NoteGoneAccounts(ctx context.Context, before time.Time) error
}

// A Reconciler compares what is open in the store with the workflows of it. What it
// does is harmless when it was not needed, so every worker may have one. All fields
// are needed.
type Reconciler struct {
	Store    *store.Store
	Dispatch *dispatch.Dispatcher
	Service  Service
	Logger   *slog.Logger
}

// dueSoon is how long before its time a reminder must have its workflow. Asking
// about those that come in a year, every minute, would be in vain.
const dueSoon = 5 * time.Minute

// every is how often a pass is made.
const every = time.Minute

// signalAgain is after what time a session that runs is told once more of what
// still waits for it: it should know.
const signalAgain = time.Hour

// Run makes up for what was interrupted, now and every minute, until ctx is done.
func (r *Reconciler) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	// At start, everything that is open was left by a process that is gone;
	// later, what is a few seconds old may just be under way.
	grace := time.Duration(0)
	for {
		if err := r.Once(ctx, time.Now().Add(-grace)); err != nil && ctx.Err() == nil {
			r.Logger.Warn("watchdog", "error", err)
		}
		grace = every / 2
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Once makes one pass over what is older than before. It signals sessions whose inbox
// has rows that no turn has taken, starts tasks and reminders that have no workflow,
// gives tasks whose workflow is gone an outcome, and makes sure that outcomes are told
// and deliveries made.
func (r *Reconciler) Once(ctx context.Context, before time.Time) error {
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	note(r.Store.ForgetExpired(ctx))
	codes, err := r.Store.ApprovedWrote(ctx)
	note(err)
	for _, code := range codes {
		note(r.Service.AcceptWrote(ctx, code))
	}
	for w, err := range r.Store.WaitingSessions(ctx, before) {
		if err == nil {
			err = r.reconcileWaiting(ctx, w)
		}
		note(err)
	}
	for key, err := range r.Store.OpenTurns(ctx, before) {
		if err == nil {
			err = r.reconcileTurn(ctx, key)
		}
		note(err)
	}
	for t, err := range r.Store.OpenTasks(ctx) {
		if err == nil && t.Created.Before(before) {
			err = r.reconcileTask(ctx, t)
		}
		note(err)
	}
	reminders, err := r.Store.DueReminders(ctx, before.Add(dueSoon))
	note(err)
	for _, id := range reminders {
		note(r.reconcileReminder(ctx, id))
	}
	untold, err := r.Store.Untold(ctx, before)
	note(err)
	for _, t := range untold {
		note(r.reconcileOutcome(ctx, t))
	}
	note(r.Service.NoteGoneAccounts(ctx, before))
	routes, err := r.Store.OpenRoutes(ctx)
	note(err)
	for _, route := range routes {
		note(r.Dispatch.EnsureOutbox(ctx, route))
	}
	return errors.Join(errs...)
}

// reconcileWaiting tells a session of messages that no turn has taken.
func (r *Reconciler) reconcileWaiting(ctx context.Context, w store.WaitingSession) error {
	if signalled, err := r.isSignalled(ctx, w.Key, w.Signalled); signalled || err != nil {
		return err
	}
	if err := r.Dispatch.WakeSession(ctx, w.Key, w.Last); err != nil {
		return err
	}
	return r.Store.NoteSessionSignalled(ctx, w)
}

// reconcileOutcome tells whoever asked for a task of its outcome.
func (r *Reconciler) reconcileOutcome(ctx context.Context, t store.UntoldTask) error {
	_, _, below := t.Caller.Owner.Task()
	switch {
	case below && !t.Signalled.IsZero():
		return nil // a sub-agent that was told asks the store for the rest
	case !below && t.Origin.SessionKey == "":
		return nil // there is nobody to tell
	}
	if signalled, err := r.isSignalled(ctx, t.Origin.SessionKey, t.Signalled); signalled || err != nil {
		return err
	}
	if err := r.Dispatch.TaskFinished(ctx, t.Task); err != nil {
		return err
	}
	return r.Store.NoteTaskSignalled(ctx, t.ID)
}

// isSignalled reports whether the workflow of a session was signalled and still runs:
// it has what it was told in its history, or has read it from the store when it
// began. Temporal takes only so many signals for one run, and a session may be
// busy or paused for days.
func (r *Reconciler) isSignalled(ctx context.Context, key errand.SessionKey, signalled time.Time) (bool, error) {
	if signalled.IsZero() || time.Since(signalled) > signalAgain {
		return false, nil
	}
	return r.Dispatch.IsRunning(ctx, string(key))
}

// reconcileTurn starts the session of a turn that was lost with its workflow:
// terminated, or gone with its database. The turn goes on at its last step.
func (r *Reconciler) reconcileTurn(ctx context.Context, key errand.SessionKey) error {
	if running, err := r.Dispatch.IsRunning(ctx, string(key)); running || err != nil {
		return err
	}
	r.Logger.Warn("turn without a workflow; going on with it", "session", key)
	return r.Dispatch.WakeSession(ctx, key, 0)
}

// reconcileTask compares an open task with its workflow.
func (r *Reconciler) reconcileTask(ctx context.Context, t errand.Task) error {
	workflow, err := r.Dispatch.TaskState(ctx, t.ID)
	switch {
	case err != nil:
		return err
	case workflow == dispatch.Missing:
		r.Logger.Warn("task without a workflow; starting it", "task", t.ID)
		return r.Dispatch.StartTask(ctx, t, false)
	case workflow == dispatch.Running:
		return nil
	}
	state, reason := errand.Failed, errand.ReasonEndedOutside.Text()
	reported, err := r.Store.Reported(ctx, t)
	if err != nil {
		return err
	}
	if reported { // and only the end was lost
		state, reason = errand.Completed, ""
	} else if workflow == dispatch.Terminated {
		reason = errand.ReasonTerminated.Text()
	}
	for _, a := range t.Agents {
		// Its sub-agents may be at work still: nothing ends them with it.
		if err := r.Dispatch.StopSubAgent(ctx, t.ID, a); err != nil {
			return err
		}
	}
	done, first, err := r.Store.FinishTask(ctx, t.ID, state, reason)
	if err != nil {
		return err
	}
	if first {
		r.Logger.Warn("task ended from outside", "task", t.ID, "agent", t.AgentList())
	}
	if err := r.endBelow(ctx, t.ID, reason); err != nil {
		return err
	}
	return r.Dispatch.TaskFinished(ctx, done)
}

// endBelow ends what a task that is gone has delegated: nobody is left to read
// its results.
func (r *Reconciler) endBelow(ctx context.Context, id errand.TaskID, reason string) error {
	tree, err := r.Store.TaskTree(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range tree[1:] {
		if t.State.Terminal() {
			continue
		}
		if _, err := r.Service.EndTask(ctx, t.ID, errand.ReasonAbove.Text()+": "+reason); err != nil {
			return err
		}
	}
	return nil
}

// reconcileReminder compares an active reminder with its workflow. One that was
// terminated in the Web UI is canceled: whoever did that wants it to be over.
func (r *Reconciler) reconcileReminder(ctx context.Context, id errand.ReminderID) error {
	state, err := r.Dispatch.ReminderState(ctx, id)
	switch {
	case err != nil:
		return err
	case state == dispatch.Running:
		return nil
	case state == dispatch.Terminated:
		r.Logger.Warn("the workflow of a reminder was terminated; canceling it", "reminder", id)
		_, err := r.Store.CancelReminder(ctx, id)
		return err
	}
	r.Logger.Warn("reminder without a workflow; starting it", "reminder", id)
	return r.Dispatch.StartReminder(ctx, id)
}
