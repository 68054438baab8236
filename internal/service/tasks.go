package service

import (
	"context"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// Tasks has the operations on delegated tasks.
type Tasks struct {
	*Deps
	agents *Agents
}

// taskViews has the operations that only read tasks.
type taskViews struct{ *Tasks }

func (t *Tasks) bind(r *ops.Runner) {
	views, messages := taskViews{t}, taskMessages{t}
	ops.Bind(r, api.CancelTask, t.cancel)
	ops.Bind(r, api.CancelTaskByTool, t.cancelByTool)
	ops.Bind(r, api.CreateTask, t.createNew)
	ops.Bind(r, api.CancelTasks, t.cancelSeveral)
	ops.Bind(r, api.RetryTasks, t.retrySeveral)
	ops.Bind(r, api.GetTaskDetails, views.details)
	ops.Bind(r, api.RetryTask, t.retry)
	ops.Bind(r, api.SteerTask, messages.steer)
	ops.Bind(r, api.SteerTaskByTool, messages.steerByTool)
	ops.Bind(r, api.ContinueTask, messages.goOn)
	ops.Bind(r, api.ListTasks, views.list)
	ops.Bind(r, api.CountTasks, views.count)
	ops.Bind(r, api.GetTask, views.get)
	ops.Bind(r, api.GetTimeline, views.timeline)
	ops.Bind(r, api.ListTaskCalls, views.calls)
	ops.Bind(r, api.GetTaskTranscript, views.transcript)
}

// findToChange finds a task that the actor may change. Actors may change their own tasks. A task in
// the shared session that they write in needs the role for command there. Any other task needs the
// right to change other people's things.
func (t *Tasks) findToChange(ctx context.Context, by actor.Actor, in api.TaskRef, command string) (core.Task, error) {
	task, err := t.find(ctx, by, in)
	if err == nil {
		err = t.mayChange(by, task, command)
	}
	return task, err
}

func (t *Tasks) find(ctx context.Context, by actor.Actor, in api.TaskRef) (core.Task, error) {
	if err := t.may(by, rights.TasksRead); err != nil {
		return core.Task{}, err
	}
	filter := store.TaskFilter{Session: in.Session}
	var err error
	if in.Session != "" {
		err = t.reads(by, in.Session)
	} else {
		filter.Person, err = t.whose(by, in.Person)
	}
	if err != nil {
		return core.Task{}, err
	}
	task, err := t.Store.FindTask(ctx, strings.TrimSpace(in.ID), filter)
	return task, Known(err)
}

func (t *Tasks) own(ctx context.Context, by actor.Actor, id core.TaskID) (core.Task, error) {
	return t.find(ctx, by, api.TaskRef{TaskID: api.TaskID{ID: string(id)}})
}

func (t *Tasks) mayChange(by actor.Actor, task core.Task, command string) error {
	key := task.Origin.SessionKey
	switch {
	case task.Origin.Person == by.Person:
		return nil
	case key.Shared() && key == by.Here:
		return t.forAll(by, key, command)
	}
	return t.changesOthers(by)
}

// mayChangeFor returns an error unless the person of a tool call may change a task of the
// conversation.
func (t *Tasks) mayChangeFor(by actor.Actor, task core.Task, command string) error {
	switch o := task.Origin; {
	case o.Person != by.Person && (by.Here == "" || o.SessionKey != by.Here):
		return Known(store.ErrNotFound)
	case o.Person != by.Person && by.Here.Shared() && !t.Rights.May(by.Role, rights.GroupSession, command):
		return Forbidden("refusal.anothers_task", "task", task.ID, "role", t.roleWord(t.Rights.Least(rights.GroupSession, command)))
	}
	return nil
}

// watch calls look now and after each announced change of a task. It returns when look is done or
// fails, after atMost, or when ctx ends.
func (t *Tasks) watch(ctx context.Context, id core.TaskID, atMost time.Duration, look func() (done bool, err error)) error {
	announced, cancel := t.Store.Bus().SubscribeTask(id)
	defer cancel()
	over, poll := time.NewTimer(atMost), time.NewTimer(0)
	defer over.Stop()
	defer poll.Stop()
	for {
		if done, err := look(); done || err != nil { // the change may have preceded the subscription
			return err
		}
		poll.Reset(pollEvery(t.Store.Bus().Live()))
		select {
		case <-announced:
		case <-poll.C:
		case <-over.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// EndTask cancels a task.
func (i *Internal) EndTask(ctx context.Context, id core.TaskID, reason string) (core.Task, error) {
	return i.tasks.end(ctx, id, reason)
}
