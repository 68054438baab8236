package service

import (
	"context"
	"errors"
	"slices"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
)

// maxBulkTasks is the maximum number of tasks in one call.
const maxBulkTasks = 100

// cancelSeveral cancels several tasks, in order. An error of one does not stop the others.
func (t *Tasks) cancelSeveral(ctx context.Context, by actor.Actor, in api.CancelTasksInput) ([]api.BulkTask, error) {
	return t.bulk(ctx, by, in.Body.IDs, in.Person, func(task core.Task) (core.Task, error) {
		if err := t.mayChange(by, task, "/cancel"); err != nil {
			return task, err
		}
		return t.end(ctx, task.ID, in.Body.Reason)
	})
}

func (t *Tasks) retrySeveral(ctx context.Context, by actor.Actor, in api.RetryTasksInput) ([]api.BulkTask, error) {
	isFirst := true // the runner has counted the first
	return t.bulk(ctx, by, in.Body.IDs, in.Person, func(task core.Task) (core.Task, error) {
		if !isFirst {
			if err := t.Runner.Count(by); err != nil {
				return core.Task{}, err
			}
		}
		isFirst = false
		return t.repeat(ctx, by, task)
	})
}

func (t *Tasks) bulk(ctx context.Context, by actor.Actor, ids []string, person core.PersonID, do func(core.Task) (core.Task, error)) ([]api.BulkTask, error) {
	switch {
	case len(ids) == 0:
		return nil, Invalid("ids", "refusal.which_tasks")
	case len(ids) > maxBulkTasks:
		return nil, Refuse(KindTooLarge, "too_many_tasks", "refusal.tasks_at_once", "most", maxBulkTasks, "number", len(ids))
	}
	var list []api.BulkTask
	done := map[core.TaskID]bool{}
	for _, id := range ids {
		if slices.ContainsFunc(list, func(b api.BulkTask) bool { return b.ID == id }) {
			continue
		}
		task, err := t.find(ctx, by, api.TaskRef{TaskID: api.TaskID{ID: id}, Person: person})
		if err == nil {
			if done[task.ID] {
				continue
			}
			done[task.ID] = true
			task, err = do(task)
		}
		list = append(list, t.bulkView(by, id, task, err))
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
	}
	return list, nil
}

func (t *Tasks) bulkView(by actor.Actor, id string, task core.Task, err error) api.BulkTask {
	if err == nil {
		view := t.shortView(by, task)
		return api.BulkTask{ID: id, Task: &view}
	}
	var known *Error
	if !errors.As(err, &known) {
		t.Logger.Error("one of several tasks not changed", "task", id, "error", err)
		known = Refuse(KindInternal, "internal", "refusal.internal")
	}
	return api.BulkTask{ID: id, Error: &api.ProblemError{Code: known.Code, Message: known.Text(t.readersTexts(by))}}
}
