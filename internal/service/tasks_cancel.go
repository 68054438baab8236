package service

import (
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

// cancel ends a task and everything below it. It closes the rows first, so that no model call of
// the tree starts after it has returned.
func (t *Tasks) cancel(ctx context.Context, by actor.Actor, in api.CancelTaskInput) (api.Task, error) {
	task, err := t.findToChange(ctx, by, in.TaskRef, "/cancel")
	if err == nil {
		task, err = t.end(ctx, task.ID, in.Body.Reason)
	}
	return t.taskView(by, task), err
}

func (t *Tasks) cancelByTool(ctx context.Context, by actor.Actor, in api.ToolTaskInput) (core.Task, error) {
	task, err := t.Store.Task(ctx, in.ID)
	if err != nil {
		return task, Known(err)
	}
	if err := t.mayChangeFor(by, task, "/cancel"); err != nil {
		return task, err
	}
	return t.end(ctx, task.ID, in.Reason)
}

// end cancels a task. The caller has checked the rights.
func (t *Tasks) end(ctx context.Context, id core.TaskID, reason string) (core.Task, error) {
	if _, err := t.close(ctx, id, reason); err != nil {
		return core.Task{}, Known(err)
	}
	task, err := t.Store.Task(ctx, id)
	return task, Known(err)
}

func (t *Tasks) close(ctx context.Context, id core.TaskID, reason string) ([]core.Task, error) {
	// The person who cancels knows the outcome, so errand sends no notice.
	closed, err := t.Store.CloseTask(ctx, id, core.Cut(strings.TrimSpace(reason), 200), true)
	for _, one := range closed {
		if err := t.Dispatch.StopTask(ctx, one.ID); err != nil {
			// The workflow notices the closed row at its next step.
			t.Logger.Warn("canceled task: workflow not canceled; the watchdog will cancel it", "task", one.ID, "error", err)
		}
		t.Logger.Info("task canceled", "task", one.ID, "agent", one.AgentList())
	}
	return closed, err
}

// cancelAll ends all open tasks that f selects, including those created meanwhile. It reports
// whether there were any.
func (t *Tasks) cancelAll(ctx context.Context, f store.TaskFilter, reason string) (some bool, err error) {
	for {
		// Cancel callers first. Otherwise a caller learns that its sub-agent ended, and may
		// continue before it is canceled itself.
		open, err := t.Store.OpenTaskIDs(ctx, f)
		if err != nil || len(open) == 0 {
			return some, err
		}
		some = true
		ended := make(map[core.TaskID]bool, len(open))
		for _, id := range open {
			if ended[id] {
				continue
			}
			closed, err := t.close(ctx, id, reason)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // deleted meanwhile
				return some, err
			}
			for _, one := range closed {
				ended[one.ID] = true
			}
		}
	}
}
