package service

import (
	"context"
	"slices"
	"strings"

	"errand"
	"errand/internal/rights"
)

// MostInBulk is how many tasks are changed at once at most.
const MostInBulk = 100

// A BulkTask is what came of one task of several that were to be changed.
type BulkTask struct {
	ID   string      // as it was asked for
	Task errand.Task // what it is now, or the new one
	Err  error
}

// CancelTasks is CancelTask for each of several, by their ids or the beginnings of those, in
// their order. What goes wrong with one keeps none of the others.
func (s *Service) CancelTasks(ctx context.Context, by Actor, ids []string, person errand.PersonID, reason string) ([]BulkTask, error) {
	if err := s.may(by, rights.TasksCancel); err != nil {
		return nil, err
	}
	return s.bulk(ctx, by, ids, person, func(id errand.TaskID) (errand.Task, error) { return s.CancelTask(ctx, by, id, reason) })
}

// RetryTasks is RetryTask for each of several, likewise. allow is asked before each but the
// first, whose request was allowed: a bulk is no way around the rate of messages.
func (s *Service) RetryTasks(ctx context.Context, by Actor, ids []string, person errand.PersonID, allow func() error) ([]BulkTask, error) {
	if err := s.may(by, rights.TasksRetry); err != nil {
		return nil, err
	}
	first := true
	return s.bulk(ctx, by, ids, person, func(id errand.TaskID) (errand.Task, error) {
		if !first {
			if err := allow(); err != nil {
				return errand.Task{}, err
			}
		}
		first = false
		return s.RetryTask(ctx, by, id)
	})
}

func (s *Service) bulk(ctx context.Context, by Actor, ids []string, person errand.PersonID, do func(errand.TaskID) (errand.Task, error)) ([]BulkTask, error) {
	switch {
	case len(ids) == 0:
		return nil, Invalid("ids", "refusal.which_tasks")
	case len(ids) > MostInBulk:
		return nil, Refuse(KindTooLarge, "too_many_tasks", "refusal.tasks_at_once", "most", MostInBulk, "number", len(ids))
	}
	var list []BulkTask
	done := map[errand.TaskID]bool{}
	for _, id := range ids {
		if slices.ContainsFunc(list, func(b BulkTask) bool { return b.ID == id }) {
			continue
		}
		one := BulkTask{ID: id}
		var t errand.Task
		if t, one.Err = s.FindTask(ctx, by, strings.TrimSpace(id), person); one.Err == nil {
			if done[t.ID] {
				continue
			}
			done[t.ID] = true
			one.Task, one.Err = do(t.ID)
		}
		list = append(list, one)
		if ctx.Err() != nil {
			return list, ctx.Err()
		}
	}
	return list, nil
}
