package service

import (
	"context"
	"slices"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

func (t taskViews) details(ctx context.Context, by actor.Actor, in api.GetTaskDetailsInput) (api.TaskDetails, error) {
	d := api.TaskDetails{Above: []api.Task{}, Tree: []api.Task{}, Questions: []api.Question{}, Messages: []core.AddedMessage{}, Deliveries: []api.TaskDelivery{}, Files: []core.File{}}
	top, err := t.find(ctx, by, api.TaskRef{TaskID: in.TaskID, Person: in.Person.Person})
	if err != nil {
		return d, err
	}
	titles, err := t.Store.ChatTitles(ctx, []core.SessionID{top.Origin.Session})
	if err != nil {
		return d, err
	}
	d.Chat = titles[top.Origin.Session]
	seen := map[core.TaskID]bool{top.ID: true}
	for parent := top.Parent; parent != "" && !seen[parent]; {
		above, err := t.Store.Task(ctx, parent)
		if err != nil || above.Origin.Person != top.Origin.Person {
			break // deleted, or another person's
		}
		seen[parent] = true
		d.Above = append(d.Above, t.shortView(by, above))
		parent = above.Parent
	}
	slices.Reverse(d.Above)
	tasks, err := t.Store.TaskTree(ctx, top.ID)
	if err != nil {
		return d, Known(err)
	}
	for _, p := range core.Tree(tasks) {
		d.Tree = append(d.Tree, t.placedView(by, p, true))
	}
	ids := make([]core.TaskID, len(tasks))
	for i, one := range tasks {
		ids[i] = one.ID
	}
	questions, err := t.Store.Questions(ctx, store.QuestionFilter{Tasks: ids, Limit: 1000})
	if err != nil {
		return d, err
	}
	if d.Questions, err = t.questionViews(ctx, by, questions...); err != nil {
		return d, err
	}
	if d.Messages, err = t.Store.AddedMessages(ctx, top.ID); err != nil {
		return d, err
	}
	sent, err := t.Store.TaskDeliveries(ctx, top)
	if err != nil {
		return d, err
	}
	for _, n := range sent {
		d.Deliveries = append(d.Deliveries, api.TaskDelivery{ID: n.ID, Route: n.Route, Event: n.Event, State: n.State,
			Attempts: n.Attempts, Error: n.Error, Receipts: n.Receipts, Created: n.Created, SentAt: n.SentAt})
	}
	files, err := t.filesOf(ctx, by, top, tasks)
	d.Files = append(d.Files, files...)
	return d, err
}

func (t taskViews) filesOf(ctx context.Context, by actor.Actor, top core.Task, tasks []core.Task) ([]core.File, error) {
	if t.may(by, rights.FilesRead) != nil {
		return nil, nil
	}
	if key := top.Origin.SessionKey; key.Shared() && t.reads(by, key) != nil {
		return nil, nil // the files belong to all people in that chat
	}
	list, err := t.Store.Files(ctx, store.TaskPlace(top), store.FileFilter{Limit: 1000})
	return slices.DeleteFunc(list, func(f core.File) bool {
		of, _, ok := f.Owner.Task()
		return !ok || !slices.ContainsFunc(tasks, func(one core.Task) bool { return one.ID == of })
	}), err
}
