package activities

import (
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
	if in.State != errand.Completed {
		a.cancelAbandoned(ctx)
	}
	if err := a.signalFinished(ctx, task, first); err != nil {
		return FinishResult{}, err
	}
	return FinishResult{State: task.State}, nil
}

// signalFinished tells whoever asked for a task that its outcome is there.
func (a *Activities) signalFinished(ctx context.Context, task errand.Task, first bool) error {
	a.Probe.At(probe.AfterFinish)
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
	switch in.State {
	case errand.Completed:
		return nil
	case errand.Canceled:
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
	for _, id := range roots {
		if err := a.closeTask(ctx, id, in.Reason, id != in.Task, in.Task); err != nil {
			return err
		}
	}
	return nil
}
