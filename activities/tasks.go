package activities

import (
	"cmp"
	"context"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/temporal/wire"
)

// Tasks ends tasks, and starts the tasks that follow them.
type Tasks struct {
	*worker
	sessions  Sessions
	responses *responses
}

// Finish commits the outcome of a task and then reports it to the caller. Terminal states are
// final: of two outcomes the first counts.
func (k *Tasks) Finish(ctx context.Context, in wire.FinishInput) (wire.FinishResult, error) {
	if err := k.at(in.Store); err != nil {
		return wire.FinishResult{}, err
	}
	k.probe.At(probe.BeforeFinish)
	if err := k.endTree(ctx, in); err != nil {
		return wire.FinishResult{}, failed(err)
	}
	task, first, err := k.store.FinishTask(ctx, in.Task, in.State, in.Reason)
	if err != nil {
		return wire.FinishResult{}, failed(err)
	}
	if in.State != core.Completed || in.EndsRest {
		k.responses.cancelAbandoned(ctx)
	}
	if err := k.signalFinished(ctx, task, first); err != nil {
		return wire.FinishResult{}, err
	}
	return wire.FinishResult{State: task.State}, nil
}

func (k *Tasks) signalFinished(ctx context.Context, task core.Task, first bool) error {
	k.probe.At(probe.AfterFinish)
	if err := k.startFollowing(ctx, task); err != nil {
		return err
	}
	if err := k.sessions.TaskFinished(ctx, task); err != nil {
		return failed(err)
	}
	if first {
		k.logger.Info("task finished", "task", task.ID, "agent", task.AgentList(), "state", task.State,
			"model_calls", task.ModelCalls, "tokens", task.Tokens)
	}
	k.probe.At(probe.AfterFinished)
	return nil
}

// endTree cancels what a task has delegated if the task did not complete, because no agent will
// read the results. It closes a canceled task's own row first.
func (k *Tasks) endTree(ctx context.Context, in wire.FinishInput) error {
	var roots []core.TaskID
	switch {
	case in.State == core.Completed && !in.EndsRest:
		return nil
	case in.State == core.Canceled:
		roots = []core.TaskID{in.Task}
	default:
		tree, err := k.store.TaskTree(ctx, in.Task)
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
		reason = cmp.Or(reason, core.ReasonAbove.Text())
	}
	for _, id := range roots {
		if err := k.closeTask(ctx, id, reason, id != in.Task, in.Task); err != nil {
			return err
		}
	}
	return nil
}

// startFollowing may be repeated: the row of the next task exists since the decision.
func (k *Tasks) startFollowing(ctx context.Context, task core.Task) error {
	if task.FollowedBy == "" {
		return nil
	}
	next, err := k.store.Task(ctx, task.FollowedBy)
	if err != nil || next.State.Terminal() {
		return failed(err)
	}
	return failed(k.sessions.StartTask(ctx, next, false))
}

// showTaskState only logs errors: the next change of the state updates Temporal's list.
func (k *Tasks) showTaskState(ctx context.Context, id core.TaskID) {
	if err := k.sessions.ShowTaskState(context.WithoutCancel(ctx), id); err != nil {
		k.logger.Warn("Temporal does not show a task's state yet", "task", id, "error", err)
	}
}

// closeTask closes a task and what it has delegated. It does not cancel the workflow of self, which
// is the caller's own.
func (k *Tasks) closeTask(ctx context.Context, id core.TaskID, reason string, notified bool, self core.TaskID) error {
	closed, err := k.store.CloseTask(ctx, id, reason, notified)
	if err != nil {
		return err
	}
	for _, t := range closed {
		if t.ID == self {
			continue
		}
		if err := k.sessions.StopTask(ctx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// OpenTasks returns which tasks are still open. A deleted task counts as ended, so that no workflow
// waits for it.
func (k *Tasks) OpenTasks(ctx context.Context, in wire.OpenTasksInput) (wire.OpenTasksResult, error) {
	if err := k.at(in.Store); err != nil {
		return wire.OpenTasksResult{}, err
	}
	still, following, err := k.store.StillOpen(ctx, in.Tasks)
	if err != nil {
		return wire.OpenTasksResult{}, failed(err)
	}
	added, err := k.store.UntakenTaskMessages(ctx, in.Owner)
	if err != nil {
		return wire.OpenTasksResult{}, failed(err)
	}
	asked, refused, err := k.store.OpenQuestions(ctx, in.Questions)
	return wire.OpenTasksResult{Open: still, Added: added, FollowedBy: following, OpenQuestions: asked, Refused: refused}, failed(err)
}
