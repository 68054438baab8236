package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/store"
)

// A Canceler ends a task and everything it delegated; package service
// implements it.
type Canceler interface {
	// CancelTaskFor ends it for the person that a tool call is made for, if they may.
	CancelTaskFor(ctx context.Context, call store.Call, t errand.Task, reason string) (errand.Task, error)
}

// A Steerer adds to a task that is at work; package service implements it.
type Steerer interface {
	// SteerTaskFor adds what an agent says, for the person that a tool call is made for, if
	// they may. Called again for the same call, it adds nothing more.
	SteerTaskFor(ctx context.Context, call store.Call, t errand.Task, text string) (errand.Task, error)
}

// Tasks are the tools that look after delegated tasks.
func Tasks(st *store.Store, s interface {
	Canceler
	Steerer
}) []Tool {
	t := taskTools{st, s, s}
	id := json.RawMessage(`{"type": "object", "properties": {"task_id": {"type": "string", "description": "the task id, or its unique beginning"}}, "required": ["task_id"]}`)
	return []Tool{{
		Name:        "list_pending_async_agents",
		Description: "List the tasks of this conversation that are still at work, with agent, state and age.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {}}`),
		Effect:      ReadOnly, Doing: "doing.tasks", Run: t.list,
	}, {
		Name:        "get_task",
		Description: "Look a task up by its id: state, and the report when it is finished.",
		Parameters:  id, Effect: ReadOnly, Doing: "doing.task", Run: t.get,
	}, {
		Name:        "kill_async_agent",
		Description: "Cancel a task and everything it delegated. This is final.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"task_id": {"type": "string"}, "reason": {"type": "string"}}, "required": ["task_id"]}`),
		Effect:      Idempotent, Doing: "doing.cancel_task", Run: t.kill,
	}, {
		Name:        "steer_task",
		Description: "Add something to a task that is at work: its agent reads it before its next step, as from you and not from the person. To a task that has ended nothing can be added.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"task": {"type": "string", "description": "the task id, or its unique beginning"}, "text": {"type": "string", "description": "what its agent is to know or to do besides"}}, "required": ["task", "text"]}`),
		Effect:      Idempotent, Doing: "doing.steer_task", Run: t.steer,
	}}
}

type taskTools struct {
	store    *store.Store
	canceler Canceler
	steerer  Steerer
}

func (t taskTools) list(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
	mine := visible(call)
	mine.States, mine.Asked = errand.OpenStates(), true
	open, err := t.store.Tasks(ctx, mine)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		return "No task is at work.", nil
	}
	var b strings.Builder
	for _, task := range open {
		b.WriteString(line(task) + "\n")
	}
	return b.String(), nil
}

type taskArgs struct {
	ID     string `json:"task_id"`
	Reason string `json:"reason"`
}

func (t taskTools) get(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	task, problem, err := t.find(ctx, call, args)
	if problem != "" || err != nil {
		return problem, err
	}
	text := task.Report(call.Nonce) + "\n" + line(task)
	if task.State.Terminal() && call.Task == nil {
		return text, t.store.MarkRead(ctx, task.ID)
	}
	return text, nil
}

// line is a task in a line: whose it is, how it stands, since when, and from which
// chat. Titles and names of chats are quoted: others chose them.
func line(task errand.Task) string {
	where := ""
	if o := task.Origin; o.Chat != "" {
		where = fmt.Sprintf("  chat %q on %s", o.Chat, o.Channel)
	}
	return fmt.Sprintf("%s  %s  %s  asked for %s ago%s  %q", task.ID, task.AgentList(), task.State, errand.Age(time.Since(task.Created)), where, task.Title)
}

func (t taskTools) kill(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	task, problem, err := t.find(ctx, call, args)
	if problem != "" || err != nil {
		return problem, err
	}
	if task.State.Terminal() {
		return fmt.Sprintf("%s has ended already: %s", task.ID, task.State), nil
	}
	in, err := Parse[taskArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	if task, err = t.canceler.CancelTaskFor(ctx, call, task, errand.Cut(in.Reason, 200)); err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("%s is %s, with everything it had delegated.", task.ID, task.State), nil
}

func (t taskTools) steer(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[struct{ Task, Text string }](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	task, problem, err := t.named(ctx, call, in.Task)
	if problem != "" || err != nil {
		return problem, err
	}
	if task.State.Terminal() {
		return fmt.Sprintf("error: %s has ended already: %s. Nothing was added; what is still to be done is for a new task.", task.ID, task.State), nil
	}
	if task, err = t.steerer.SteerTaskFor(ctx, call, task, in.Text); err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("It is added: %s reads it before its next step. %s is %s.", task.AgentList(), task.ID, task.State), nil
}

// find returns the task that a call names, among those it may see.
func (t taskTools) find(ctx context.Context, call store.Call, args json.RawMessage) (task errand.Task, problem string, err error) {
	in, err := Parse[taskArgs](args)
	if err != nil {
		return task, "error: " + err.Error(), nil
	}
	return t.named(ctx, call, in.ID)
}

func (t taskTools) named(ctx context.Context, call store.Call, id string) (task errand.Task, problem string, err error) {
	task, err = t.store.FindTask(ctx, id, visible(call))
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		return task, "error: " + err.Error(), nil
	}
	return task, "", err
}

// visible are the tasks that a caller may see and end: those of its own chat, or
// those that it delegated itself as a sub-agent.
func visible(call store.Call) store.TaskFilter {
	if call.Task != nil {
		return store.TaskFilter{Caller: call.Key.Owner}
	}
	mine := call.Sees()
	mine.Session = call.Origin.SessionKey
	mine.Asked = !call.Origin.InGroup() // an answer in another chat is not for a group
	return mine
}
