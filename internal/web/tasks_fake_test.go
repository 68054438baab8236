package web

import (
	"context"
	"time"

	"errand"
	"errand/internal/service"
)

func (m *memory) TaskTrees(ctx context.Context, by service.Actor, f service.TaskFilter) ([]service.TreeTask, error) {
	list, err := m.Tasks(ctx, by, f)
	m.note("TaskTrees", string(f.Agent)+" "+f.Text)
	var trees []service.TreeTask
	for _, p := range errand.Tree(list) {
		trees = append(trees, service.TreeTask{PlacedTask: p, Matches: true})
	}
	return trees, err
}

func (m *memory) TaskTimeline(context.Context, service.Actor, string, errand.PersonID, bool) (service.Timeline, error) {
	return service.Timeline{}, nil
}

func (m *memory) TaskDetails(ctx context.Context, by service.Actor, prefix string, person errand.PersonID) (service.TaskDetails, error) {
	t, err := m.FindTask(ctx, by, prefix, person)
	return service.TaskDetails{Tree: errand.Tree([]errand.Task{t})}, err
}

func (m *memory) CountTasks(ctx context.Context, by service.Actor, f service.TaskFilter) (map[errand.TaskState]int, error) {
	list, err := m.Tasks(ctx, by, f)
	m.note("CountTasks", string(f.Agent)+" "+f.Session)
	n := map[errand.TaskState]int{}
	for _, t := range list {
		n[t.State]++
	}
	return n, err
}

func (m *memory) CancelTasks(ctx context.Context, by service.Actor, ids []string, person errand.PersonID, reason string) (list []service.BulkTask, err error) {
	for _, id := range ids {
		one := service.BulkTask{ID: id}
		if one.Task, one.Err = m.FindTask(ctx, by, id, person); one.Err == nil {
			one.Task, one.Err = m.CancelTask(ctx, by, one.Task.ID, reason)
		}
		list = append(list, one)
	}
	return list, nil
}

func (m *memory) RetryTasks(ctx context.Context, by service.Actor, ids []string, person errand.PersonID, allow func() error) (list []service.BulkTask, err error) {
	for i, id := range ids {
		one := service.BulkTask{ID: id}
		if i > 0 {
			one.Err = allow()
		}
		if one.Err == nil {
			one.Task, one.Err = m.RetryTask(ctx, by, errand.TaskID(id))
		}
		list = append(list, one)
	}
	return list, nil
}

func (m *memory) UsageGroups(context.Context, service.Actor, errand.PersonID, time.Time, service.UsageBy, int) ([]service.UsageGroup, error) {
	return nil, nil
}
