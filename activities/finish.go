package activities

import (
	"context"

	"errand"
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
	a.Probe("before finish")
	if in.State == errand.Canceled {
		closed, err := a.Store.CloseTask(ctx, in.Task, in.Reason, false)
		if err != nil {
			return FinishResult{}, failed(err)
		}
		for _, t := range closed {
			if t.ID == in.Task {
				continue // this very workflow
			}
			if err := a.Sessions.StopTask(ctx, t.ID); err != nil {
				return FinishResult{}, failed(err)
			}
		}
	}
	task, first, err := a.Store.FinishTask(ctx, in.Task, in.State, in.Reason)
	if err != nil {
		return FinishResult{}, failed(err)
	}
	a.Probe("after finish")
	if err := a.Sessions.TaskFinished(ctx, task); err != nil {
		return FinishResult{}, failed(err)
	}
	if first {
		a.Logger.Info("task finished", "task", task.ID, "agent", task.AgentList(), "state", task.State,
			"model_calls", task.ModelCalls, "tokens", task.Tokens)
	}
	a.Probe("after task-finished")
	return FinishResult{State: task.State}, nil
}
