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

// Tasks are the tools that look after delegated tasks.
func Tasks(st *store.Store, c Canceler) []Tool {
	t := taskTools{st, c}
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
	}}
}

type taskTools struct {
	store    *store.Store
	canceler Canceler
}

func (t taskTools) list(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
	mine := visible(call)
	mine.States = errand.OpenStates()
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

// find returns the task that a call names, among those it may see.
func (t taskTools) find(ctx context.Context, call store.Call, args json.RawMessage) (task errand.Task, problem string, err error) {
	in, err := Parse[taskArgs](args)
	if err != nil {
		return task, "error: " + err.Error(), nil
	}
	task, err = t.store.FindTask(ctx, in.ID, visible(call))
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
	return mine
}
