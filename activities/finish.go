package activities

import (
	"cmp"
	"context"

	"errand"
	"errand/internal/probe"
)

// A FinishInput says how a task ended. Reason is what a person gave for
// canceling it, or errand's own words.
type FinishInput struct {
	Store  string           `json:"store"`
	Task   errand.TaskID    `json:"task"`
	State  errand.TaskState `json:"state"`
	Reason string           `json:"reason,omitempty"`
	// EndsRest says that agents of it may be at work: what they have delegated ends.
	EndsRest bool `json:"ends_rest,omitempty"`
}

// A FinishResult is the terminal state, which may have been decided before.
type FinishResult struct {
	State errand.TaskState `json:"state"`
}

// Finish commits the outcome of a task and then tells whoever asked for it.
// Terminal states are final: of two outcomes the first counts.
func (a *Activities) Finish(ctx context.Context, in FinishInput) (FinishResult, error) {
	if err := a.at(in.Store); err != nil {
		return FinishResult{}, err
	}
	a.Probe.At(probe.BeforeFinish)
	if err := a.endTree(ctx, in); err != nil {
		return FinishResult{}, failed(err)
	}
	task, first, err := a.Store.FinishTask(ctx, in.Task, in.State, in.Reason)
	if err != nil {
		return FinishResult{}, failed(err)
	}
	if in.State != errand.Completed || in.EndsRest {
		a.cancelAbandoned(ctx)
	}
	if err := a.signalFinished(ctx, task, first); err != nil {
		return FinishResult{}, err
	}
	return FinishResult{State: task.State}, nil
}

func (a *Activities) signalFinished(ctx context.Context, task errand.Task, first bool) error {
	a.Probe.At(probe.AfterFinish)
	if err := a.startFollowing(ctx, task); err != nil {
		return err
	}
	if err := a.Sessions.TaskFinished(ctx, task); err != nil {
		return failed(err)
	}
	if first {
		a.Logger.Info("task finished", "task", task.ID, "agent", task.AgentList(), "state", task.State,
			"model_calls", task.ModelCalls, "tokens", task.Tokens)
	}
	a.Probe.At(probe.AfterFinished)
	return nil
}

// endTree ends what a task that did not complete has delegated: nobody is left
// to read its results. Of a canceled task the row itself is closed too, before
// anything else.
func (a *Activities) endTree(ctx context.Context, in FinishInput) error {
	var roots []errand.TaskID
	switch {
	case in.State == errand.Completed && !in.EndsRest:
		return nil
	case in.State == errand.Canceled:
		roots = []errand.TaskID{in.Task}
	default:
		tree, err := a.Store.TaskTree(ctx, in.Task)
		if err != nil {
			return err
		}
		for _, t := range tree {
			if t.Parent == in.Task && !t.State.Terminal() {
				roots = append(roots, t.ID)
			}
		}
	}
	reason := in.Reason
	if in.EndsRest {
		reason = cmp.Or(reason, errand.ReasonAbove.Text())
	}
	for _, id := range roots {
		if err := a.closeTask(ctx, id, reason, id != in.Task, in.Task); err != nil {
			return err
		}
	}
	return nil
}

// startFollowing starts the task that follows a decision. Its row is there with the
// decision; to start it again does nothing.
func (a *Activities) startFollowing(ctx context.Context, task errand.Task) error {
	if task.FollowedBy == "" {
		return nil
	}
	next, err := a.Store.Task(ctx, task.FollowedBy)
	if err != nil || next.State.Terminal() {
		return failed(err)
	}
	return failed(a.Sessions.StartTask(ctx, next, false))
}
