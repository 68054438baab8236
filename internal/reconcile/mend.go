package reconcile

import (
	"context"

	"errand"
	"errand/internal/dispatch"
	"errand/internal/store"
)

func (p *pass) wakeWaiting(ctx context.Context, w store.WaitingSession) (runs bool, err error) {
	if isRecent(w.Signalled) {
		if runs, err := p.Dispatch.IsRunning(ctx, string(w.Key)); runs || err != nil {
			return runs, err
		}
	}
	return false, p.write(func() error {
		if err := p.Dispatch.WakeSession(ctx, w.Key, w.Last); err != nil {
			return err
		}
		return p.Store.NoteSessionSignalled(ctx, w)
	})
}

func (p *pass) signalOutcome(ctx context.Context, t store.UndecidedTask) (runs bool, err error) {
	if isRecent(t.Signalled) {
		if runs, err := p.Dispatch.IsRunning(ctx, string(t.Origin.SessionKey)); runs || err != nil {
			return runs, err
		}
	}
	return false, p.write(func() error {
		if err := p.Dispatch.TaskFinished(ctx, t.Task); err != nil {
			return err
		}
		return p.Store.NoteTaskSignalled(ctx, t.ID)
	})
}

// resumeTurn starts the session of a turn that was lost with its workflow:
// terminated, or gone with its database. The turn goes on at its last step.
func (p *pass) resumeTurn(ctx context.Context, key errand.SessionKey) (runs bool, err error) {
	if runs, err := p.Dispatch.IsRunning(ctx, string(key)); runs || err != nil {
		return runs, err
	}
	return false, p.write(func() error {
		p.Logger.Warn("turn without a workflow; going on with it", "session", key)
		return p.Dispatch.WakeSession(ctx, key, 0)
	})
}

// mendTask mends an open task that seems to have no workflow.
func (p *pass) mendTask(ctx context.Context, t errand.Task) (runs bool, err error) {
	workflow, err := p.Dispatch.TaskState(ctx, t.ID)
	switch {
	case err != nil:
		return false, err
	case workflow == dispatch.Running:
		return true, nil
	case workflow == dispatch.Missing:
		return false, p.write(func() error {
			p.Logger.Warn("task without a workflow; starting it", "task", t.ID)
			if err := p.Store.ForgetTaskSignalled(ctx, t.ID); err != nil {
				return err
			}
			return p.Dispatch.StartTask(ctx, t, false)
		})
	}
	return false, p.endTask(ctx, t, workflow)
}

func (p *pass) endTask(ctx context.Context, t errand.Task, workflow dispatch.State) error {
	state, reason := errand.Failed, errand.ReasonEndedOutside.Text()
	reported, err := p.Store.Reported(ctx, t)
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
		if err := p.write(func() error { return p.Dispatch.StopSubAgent(ctx, t.ID, a) }); err != nil {
			return err
		}
	}
	var done errand.Task
	err = p.write(func() (err error) {
		var first bool
		done, first, err = p.Store.FinishTask(ctx, t.ID, state, reason)
		if first {
			p.Logger.Warn("task ended from outside", "task", t.ID, "agent", t.AgentList())
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := p.endBelow(ctx, t.ID, reason); err != nil {
		return err
	}
	return p.write(func() error { return p.Dispatch.TaskFinished(ctx, done) })
}

// endBelow ends what a task that is gone has delegated: nobody is left to read
// its results.
func (p *pass) endBelow(ctx context.Context, id errand.TaskID, reason string) error {
	tree, err := p.Store.TaskTree(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range tree[1:] {
		if t.State.Terminal() {
			continue
		}
		err := p.write(func() error {
			_, err := p.Service.EndTask(ctx, t.ID, errand.ReasonAbove.Text()+": "+reason)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mendReminder mends an active reminder that seems to have no workflow. One that was
// terminated in the Web UI is canceled: whoever did that wants it to be over.
func (p *pass) mendReminder(ctx context.Context, id errand.ReminderID) (runs bool, err error) {
	state, err := p.Dispatch.ReminderState(ctx, id)
	switch {
	case err != nil:
		return false, err
	case state == dispatch.Running:
		return true, nil
	case state == dispatch.Terminated:
		return false, p.write(func() error {
			p.Logger.Warn("the workflow of a reminder was terminated; canceling it", "reminder", id)
			_, err := p.Store.CancelReminder(ctx, id)
			return err
		})
	}
	return false, p.write(func() error {
		p.Logger.Warn("reminder without a workflow; starting it", "reminder", id)
		return p.Dispatch.StartReminder(ctx, id)
	})
}

func (p *pass) startWebhook(ctx context.Context, w store.DueWebhook) error {
	return p.write(func() error { return p.Dispatch.StartWebhook(ctx, w.ID, w.Person) })
}

func (p *pass) startPush(ctx context.Context, due store.DuePush) error {
	return p.write(func() error { return p.Dispatch.StartPush(ctx, due.ID, due.Person, 0) })
}

// ensureOutbox starts the deliveries of a route, unless they are under way.
func (p *pass) ensureOutbox(ctx context.Context, r errand.Route) error {
	return p.write(func() error { return p.Dispatch.EnsureOutbox(ctx, r) })
}
