package service

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/texts"
)

// TaskEndedCode is the code of the [*Error] that refuses a message to a task that has ended.
const TaskEndedCode = "ended"

// taskMessages has the operations that add to a task or continue it.
type taskMessages struct{ *Tasks }

// steer adds a message to a running task. Its agents read it before their next step, or at once if
// they wait. Actors who may cancel a task may add to it.
func (t taskMessages) steer(ctx context.Context, by actor.Actor, in api.SteerTaskInput) (api.Task, error) {
	task, err := t.findToChange(ctx, by, in.TaskRef, "/task")
	if err != nil {
		return api.Task{}, err
	}
	task, readers, err := t.add(ctx, task, store.TaskMessage{Key: in.Key, Person: by.Person, Role: by.Role, Text: in.Body.Text})
	view := t.taskView(by, task)
	view.Readers = readers
	return view, err
}

// steerByTool is steer for a tool call. It marks the message as the agent's.
func (t taskMessages) steerByTool(ctx context.Context, by actor.Actor, in api.SteerTaskByToolInput) (core.Task, error) {
	task, err := t.Store.Task(ctx, in.ID)
	if err != nil {
		return task, Known(err)
	}
	if err := t.mayChangeFor(by, task, "/task"); err != nil {
		return task, err
	}
	task, _, err = t.add(ctx, task, store.TaskMessage{Key: in.Key, Person: by.Person, Agent: by.Agent(), Role: by.Role, Text: in.Text})
	return task, err
}

// add adds a message to a task; the caller has checked the rights. It stores the message before it
// signals the workflow. It returns the agents that will read the message before their next step.
func (t taskMessages) add(ctx context.Context, task core.Task, m store.TaskMessage) (_ core.Task, readers []core.AgentName, err error) {
	if m, err = t.messageTo(ctx, task, m); err != nil {
		return task, nil, err
	}
	added, err := t.Store.AddToTask(ctx, task.ID, m)
	if errors.Is(err, store.ErrClosed) {
		return task, nil, t.ended(ctx, task.ID)
	}
	if err != nil {
		return task, nil, Known(err)
	}
	t.Points.At(probe.AfterSaid)
	if err := t.Dispatch.PromptlySteerTask(ctx, task.ID, added.Agents, added.Row); err != nil {
		t.Logger.Warn("agents not signaled about an addition to their task; they will find it", "task", task.ID, "error", err)
	}
	t.Logger.Info("added to a task", "task", task.ID, "agent", task.AgentList(), "bytes", len(m.Text))
	task, err = t.Store.Task(ctx, task.ID)
	return task, added.Agents, err
}

// messageTo checks a message to a task, and gives it a key if it has none.
func (t taskMessages) messageTo(ctx context.Context, task core.Task, m store.TaskMessage) (store.TaskMessage, error) {
	err := t.isLocal(ctx, task)
	if err == nil {
		m.Text, err = CleanText(m.Text, t.MessageBytes)
	}
	m.Key = cmp.Or(m.Key, core.ShortID(20))
	return m, err
}

// ended waits until a task whose agents have all reported has ended, and returns the refusal of a
// message to it.
func (t taskMessages) ended(ctx context.Context, id core.TaskID) error {
	var task core.Task
	err := t.watch(ctx, id, endsWithin, func() (done bool, err error) {
		task, err = t.Store.Task(ctx, id)
		return err == nil && task.State.Terminal(), err
	})
	switch {
	case err != nil:
		return Known(err)
	case !task.State.Terminal():
		return conflict("ending", "refusal.task_ending", "task", task.ID)
	}
	return conflict(TaskEndedCode, "refusal.task_ended", "task", task.ID, "state", texts.Key("state."+string(task.State)))
}

// endsWithin limits the wait of ended, which is nearly always short.
const endsWithin = 3 * time.Second

func (t taskMessages) goOn(ctx context.Context, by actor.Actor, in api.ContinueTaskInput) (api.Task, error) {
	old, err := t.findToChange(ctx, by, in.TaskRef, "/task")
	if err != nil {
		return api.Task{}, err
	}
	to := core.Origin{Route: in.Route, ReplyTo: in.ReplyTo, Group: in.Group}
	if in.Body.Chat != "" {
		if to.Route, err = WebRoute(in.Body.Chat); err != nil {
			return api.Task{}, err
		}
	}
	to.Channel = cmp.Or(to.Channel, core.ChannelWeb)
	task, err := t.continueWith(ctx, by, old, to, store.TaskMessage{Key: in.Key, Text: in.Body.Text})
	return t.taskView(by, task), err
}

// continueWith creates a task that continues an ended one. Its agents read their earlier work, and
// then the message. The result goes to the origin to. The new task has no more rights than the old
// one. The caller has checked the rights.
func (t taskMessages) continueWith(ctx context.Context, by actor.Actor, old core.Task, to core.Origin, m store.TaskMessage) (core.Task, error) {
	m, err := t.messageTo(ctx, old, m)
	if err != nil {
		return old, err
	}
	if err := hasFinished(old); err != nil {
		return old, err
	}
	here := by.Here
	if by, err = t.ActorAs(ctx, by.Person, core.Lesser(by.Role, old.Origin.Role)); err != nil {
		return old, err
	}
	if err := t.mayRepeat(ctx, by, old); err != nil {
		return old, err
	}
	group := to.Group
	to.Person, to.Role, to.Depth, to.Direct = by.Person, by.Role, 1, old.Origin.Direct
	if err := t.ofSession(ctx, &to, here); err != nil {
		return old, err
	}
	to.Group = to.Group || group
	m.Person, m.Role = by.Person, by.Role
	task, err := t.Store.ContinueTask(ctx, old.ID, to, m)
	if err != nil {
		return old, Known(refuseTask(err))
	}
	t.Points.At(probe.AfterSaid)
	t.start(ctx, task)
	return task, nil
}
