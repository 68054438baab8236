package reconcile

import (
	"context"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
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
		return p.Store.NoteSignalled(ctx, w)
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
		return p.Store.NoteSignalled(ctx, t)
	})
}

// resumeTurn starts the session of a turn whose workflow was terminated, or lost with Temporal's
// database. The turn continues at its last step.
func (p *pass) resumeTurn(ctx context.Context, key core.SessionKey) (runs bool, err error) {
	if runs, err := p.Dispatch.IsRunning(ctx, string(key)); runs || err != nil {
		return runs, err
	}
	return false, p.write(func() error {
		p.Logger.Warn("turn without a workflow; going on with it", "session", key)
		return p.Dispatch.WakeSession(ctx, key, 0)
	})
}

func (p *pass) mendTask(ctx context.Context, t core.Task) (runs bool, err error) {
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

func (p *pass) endTask(ctx context.Context, t core.Task, workflow dispatch.State) error {
	state, reason := core.Failed, core.ReasonEndedOutside.Text()
	reported, err := p.Store.Reported(ctx, t)
	if err != nil {
		return err
	}
	if reported { // only the end was lost
		state, reason = core.Completed, ""
	} else if workflow == dispatch.Terminated {
		reason = core.ReasonTerminated.Text()
	}
	for _, a := range t.Agents {
		// Its sub-agents may still work: they do not end with its workflow.
		if err := p.write(func() error { return p.Dispatch.StopSubAgent(ctx, t.ID, a) }); err != nil {
			return err
		}
	}
	var done core.Task
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

// endBelow ends the tasks that a lost task has delegated, because no agent will read their results.
func (p *pass) endBelow(ctx context.Context, id core.TaskID, reason string) error {
	tree, err := p.Store.TaskTree(ctx, id)
	if err != nil {
		return err
	}
	for _, t := range tree[1:] {
		if t.State.Terminal() {
			continue
		}
		err := p.write(func() error {
			_, err := p.Service.EndTask(ctx, t.ID, core.ReasonAbove.Text()+": "+reason)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// mendReminder cancels a reminder whose workflow was terminated in the Web UI: the operator wants
// it to end.
func (p *pass) mendReminder(ctx context.Context, id core.ReminderID) (runs bool, err error) {
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

func (p *pass) ensureOutbox(ctx context.Context, r core.Route) error {
	return p.write(func() error { return p.Dispatch.EnsureOutbox(ctx, r) })
}
