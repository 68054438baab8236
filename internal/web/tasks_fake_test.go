package web

import (
	"context"

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

func (m *memory) TaskTimeline(context.Context, service.Actor, string, errand.PersonID) (service.Timeline, error) {
	return service.Timeline{}, nil
}
