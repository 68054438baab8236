package gateway

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/dispatch"
	"errand/internal/store"
)

// dueSoon is how long before its time a reminder must have its workflow. Asking
// about those that come in a year, every minute, would be in vain.
const dueSoon = 5 * time.Minute

// watchEvery is how often the watchdog looks.
const watchEvery = time.Minute

// signalAgain is after what time a session that runs is told once more of what
// still waits for it: it should know.
const signalAgain = time.Hour

// Watch makes up for what was interrupted, now and every minute, until ctx is
// done. What it does is harmless when it was not needed, so every worker may
// watch.
func (g *Gateway) Watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	// At start, everything that is open was left by a process that is gone;
	// later, what is a few seconds old may just be under way.
	grace := time.Duration(0)
	for {
		if err := g.Look(ctx, time.Now().Add(-grace)); err != nil && ctx.Err() == nil {
			g.Logger.Warn("watchdog", "error", err)
		}
		grace = watchEvery / 2
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Look signals sessions whose inbox has rows from before that no turn has
// taken, starts tasks and reminders that have no workflow, gives tasks whose workflow is gone
// an outcome, and makes sure that outcomes are told and deliveries made.
func (g *Gateway) Look(ctx context.Context, before time.Time) error {
	var errs []error
	note := func(err error) {
		if err != nil {
			errs = append(errs, err)
		}
	}
	note(g.Store.ForgetExpired(ctx))
	codes, err := g.Store.ApprovedWrote(ctx)
	note(err)
	for _, code := range codes {
		note(g.acceptWrote(ctx, code))
	}
	for w, err := range g.Store.WaitingSessions(ctx, before) {
		if err == nil {
			err = g.lookAfterWaiting(ctx, w)
		}
		note(err)
	}
	for key, err := range g.Store.OpenTurns(ctx, before) {
		if err == nil {
			err = g.lookAfterTurn(ctx, key)
		}
		note(err)
	}
	for t, err := range g.Store.OpenTasks(ctx) {
		if err == nil && t.Created.Before(before) {
			err = g.lookAfter(ctx, t)
		}
		note(err)
	}
	reminders, err := g.Store.DueReminders(ctx, before.Add(dueSoon))
	note(err)
	for _, id := range reminders {
		note(g.lookAfterReminder(ctx, id))
	}
	untold, err := g.Store.Untold(ctx, before)
	note(err)
	for _, t := range untold {
		note(g.lookAfterUntold(ctx, t))
	}
	note(g.noteGoneAccounts(ctx, before))
	routes, err := g.Store.OpenRoutes(ctx)
	note(err)
	for _, r := range routes {
		note(g.Dispatch.EnsureOutbox(ctx, r))
	}
	return errors.Join(errs...)
}

// lookAfterWaiting tells a session of messages that no turn has taken.
func (g *Gateway) lookAfterWaiting(ctx context.Context, w store.WaitingSession) error {
	if knows, err := g.knows(ctx, w.Key, w.Signalled); knows || err != nil {
		return err
	}
	if err := g.Dispatch.WakeSession(ctx, w.Key, w.Last); err != nil {
		return err
	}
	return g.Store.NoteSessionSignalled(ctx, w)
}

// lookAfterUntold tells whoever asked for a task of its outcome.
func (g *Gateway) lookAfterUntold(ctx context.Context, t store.UntoldTask) error {
	_, _, below := t.Caller.Owner.Task()
	switch {
	case below && !t.Signalled.IsZero():
		return nil // a sub-agent that was told asks the store for the rest
	case !below && t.Origin.SessionKey == "":
		return nil // there is nobody to tell
	}
	if knows, err := g.knows(ctx, t.Origin.SessionKey, t.Signalled); knows || err != nil {
		return err
	}
	if err := g.Dispatch.TaskFinished(ctx, t.Task); err != nil {
		return err
	}
	return g.Store.NoteTaskSignalled(ctx, t.ID)
}

// knows reports whether the workflow of a session was signalled and still runs:
// it has what it was told in its history, or has read it from the store when it
// began. Temporal takes only so many signals for one run, and a session may be
// busy or paused for days.
func (g *Gateway) knows(ctx context.Context, key errand.SessionKey, signalled time.Time) (bool, error) {
	if signalled.IsZero() || time.Since(signalled) > signalAgain {
		return false, nil
	}
	return g.Dispatch.IsRunning(ctx, string(key))
}

// lookAfterTurn starts the session of a turn that was lost with its workflow:
// terminated, or gone with its database. The turn goes on at its last step.
func (g *Gateway) lookAfterTurn(ctx context.Context, key errand.SessionKey) error {
	if running, err := g.Dispatch.IsRunning(ctx, string(key)); running || err != nil {
		return err
	}
	g.Logger.Warn("turn without a workflow; going on with it", "session", key)
	return g.Dispatch.WakeSession(ctx, key, 0)
}

// lookAfter compares an open task with its workflow.
func (g *Gateway) lookAfter(ctx context.Context, t errand.Task) error {
	workflow, err := g.Dispatch.TaskState(ctx, t.ID)
	switch {
	case err != nil:
		return err
	case workflow == dispatch.Missing:
		g.Logger.Warn("task without a workflow; starting it", "task", t.ID)
		return g.Dispatch.StartTask(ctx, t)
	case workflow == dispatch.Running:
		return nil
	}
	state, reason := errand.Failed, errand.ReasonEndedOutside.Text()
	reported, err := g.Store.Reported(ctx, t)
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
		if err := g.Dispatch.StopSubAgent(ctx, t.ID, a); err != nil {
			return err
		}
	}
	done, first, err := g.Store.FinishTask(ctx, t.ID, state, reason)
	if err != nil {
		return err
	}
	if first {
		g.Logger.Warn("task ended from outside", "task", t.ID, "agent", t.AgentList())
	}
	if err := g.endBelow(ctx, t.ID, reason); err != nil {
		return err
	}
	return g.Dispatch.TaskFinished(ctx, done)
}

// endBelow ends what a task that is gone has delegated: nobody is left to read
// its results.
func (g *Gateway) endBelow(ctx context.Context, id errand.TaskID, reason string) error {
	tree, err := g.Store.TaskTree(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range tree[1:] {
		if t.State.Terminal() {
			continue
		}
		if _, err := g.CancelTask(ctx, t.ID, errand.ReasonAbove.Text()+": "+reason); err != nil {
			return err
		}
	}
	return nil
}
