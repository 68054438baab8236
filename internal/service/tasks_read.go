package service

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/store"
)

// get returns a task, at once or when Until holds. When the wait ends, it returns the current
// state.
func (t taskViews) get(ctx context.Context, by actor.Actor, in api.GetTaskInput) (api.Task, error) {
	named := api.TaskRef{TaskID: in.TaskID, Person: in.Person.Person, Session: in.Session}
	if in.Until == nil {
		in.Until = func(task core.Task) bool { return task.State.Terminal() }
	}
	task, err := t.find(ctx, by, named)
	atMost := cmp.Or(in.AtMost, time.Duration(in.Wait)*time.Second)
	if err == nil && atMost > 0 && !in.Until(task) {
		named.ID = string(task.ID)
		err = t.watch(ctx, task.ID, atMost, func() (done bool, err error) {
			task, err = t.find(ctx, by, named)
			return err == nil && in.Until(task), err
		})
	}
	return t.taskView(by, task), err
}

// list returns tasks or, with Tree, whole trees, newest first.
func (t taskViews) list(ctx context.Context, by actor.Actor, in api.ListTasksInput) (api.List[api.Task], error) {
	f, err := t.filter(ctx, by, in.TaskFilter)
	if err == nil {
		f.After, err = ParseCursor(api.ListTasks.Name, in.After.After)
	}
	if err != nil {
		return api.List[api.Task]{}, err
	}
	f.States, f.Limit = in.State, in.Limit
	if in.Tree {
		return t.trees(ctx, by, f)
	}
	found, err := paged(t.Store.Tasks(ctx, f))
	rows := page(api.ListTasks.Name, in.Limit, found, PositionOfTask)
	out := api.List[api.Task]{Next: rows.Next}
	for _, task := range rows.Items {
		out.Items = append(out.Items, t.taskView(by, task))
	}
	return out, err
}

func (t taskViews) filter(ctx context.Context, by actor.Actor, in api.TaskFilter) (store.TaskFilter, error) {
	f := store.TaskFilter{Session: in.Here, Asked: in.Here != "", Agent: in.Agent, Text: strings.TrimSpace(in.Text), Begun: in.Since.Time, Before: in.Before.Time}
	if in.Here != "" {
		return f, t.reads(by, in.Here)
	}
	var err error
	if f.Person, err = t.whose(by, in.Person.Person); err != nil {
		return f, err
	}
	if in.Chat != "" {
		if f.Session, err = webKey(in.Chat, cmp.Or(in.Person.Person, by.Person)); err != nil {
			return f, err
		}
	}
	if in.Session != "" {
		var of core.Session
		of, err = t.resolveSession(ctx, by, in.Session)
		f.Session = of.Key
	}
	return f, err
}

func (t taskViews) count(ctx context.Context, by actor.Actor, in api.TaskFilter) (api.TaskCounts, error) {
	f, err := t.filter(ctx, by, in)
	if err != nil {
		return api.TaskCounts{}, err
	}
	n, err := t.Store.TaskCounts(ctx, f)
	out := api.TaskCounts{States: api.TaskNumbers{
		Submitted: n[core.Submitted], Working: n[core.Working], InputRequired: n[core.InputRequired],
		Completed: n[core.Completed], Failed: n[core.Failed], Canceled: n[core.Canceled], Rejected: n[core.Rejected]}}
	for _, of := range n {
		out.Total += of
	}
	return out, err
}

// trees returns each tree with a task that f selects. Each task comes after its caller.
func (t taskViews) trees(ctx context.Context, by actor.Actor, f store.TaskFilter) (api.List[api.Task], error) {
	tasks, matches, err := t.Store.TaskTrees(ctx, f)
	if err != nil {
		_, err = paged(tasks, err)
		return api.List[api.Task]{}, err
	}
	var out api.List[api.Task]
	var last core.Task // the next page starts after it, so both pages may have its tree
	found := 0
	for _, p := range core.Tree(tasks) {
		isMatch := slices.Contains(matches, p.ID)
		out.Items = append(out.Items, t.placedView(by, p, isMatch))
		if !isMatch {
			continue
		}
		if found++; found == 1 || cmp.Or(p.Created.Compare(last.Created), strings.Compare(string(last.ID), string(p.ID))) < 0 {
			last = p.Task
		}
	}
	if f.Limit > 0 && found >= f.Limit {
		out.Next = Cursor(api.ListTasks.Name, PositionOfTask(last))
	}
	return out, nil
}

func (t taskViews) placedView(by actor.Actor, p core.PlacedTask, isMatch bool) api.Task {
	v := t.shortView(by, p.Task)
	v.Level, v.Branch, v.Matches = &p.Depth, &p.Branch, &isMatch
	return v
}

// maxTextInTree is in characters. Texts are cut because clients read lists of trees often.
const maxTextInTree = 600

func (t *Tasks) shortView(by actor.Actor, task core.Task) api.Task {
	v := t.taskView(by, task)
	v.Text, v.Result, v.Error = core.Cut(v.Text, maxTextInTree), core.Cut(v.Result, maxTextInTree), core.Cut(v.Error, maxTextInTree)
	v.Briefing = nil
	return v
}
