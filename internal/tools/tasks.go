package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// Tasks returns the tools that list, read, cancel and steer delegated tasks.
func Tasks(st *store.Store, r *ops.Runner) []Tool {
	t := taskTools{st, r}
	id := json.RawMessage(`{"type": "object", "properties": {"task_id": {"type": "string", "description": "the task id, or its unique beginning"}}, "required": ["task_id"]}`)
	return []Tool{{
		Name:        "list_pending_async_agents",
		Description: "List the open tasks of this conversation with agent, state and age.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {}}`),
		Effect:      ReadOnly, Doing: "doing.tasks", Run: t.list,
	}, {
		Name:        "get_task",
		Description: "Get a task by its id: its state, and its report once it has finished.",
		Parameters:  id, Effect: ReadOnly, Doing: "doing.task", Run: t.get,
	}, {
		Name:        "kill_async_agent",
		Description: "Cancel a task and everything it delegated. This cannot be undone.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"task_id": {"type": "string"}, "reason": {"type": "string"}}, "required": ["task_id"]}`),
		Effect:      Idempotent, Doing: "doing.cancel_task", Run: t.kill,
	}, {
		Name:        "steer_task",
		Description: "Send a message to a running task. Its agent reads it before its next step, as a message from you, not from the user. A task that has ended accepts no messages: start a new task.",
		Parameters:  json.RawMessage(`{"type": "object", "properties": {"task_id": {"type": "string", "description": "the task id, or its unique beginning"}, "text": {"type": "string", "description": "what the agent should know or also do"}}, "required": ["task_id", "text"]}`),
		Effect:      Idempotent, Doing: "doing.steer_task", Run: t.steer,
	}}
}

type taskTools struct {
	store  *store.Store
	runner *ops.Runner
}

func (t taskTools) list(ctx context.Context, call store.Call, _ json.RawMessage) (string, error) {
	mine := visible(call)
	mine.States, mine.Asked = core.OpenStates(), true
	open, err := t.store.Tasks(ctx, mine)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		return "There are no open tasks.", nil
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
	Text   string `json:"text"`
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

// line quotes titles and chat names, because other people chose them.
func line(task core.Task) string {
	where := ""
	if o := task.Origin; o.Chat != "" {
		where = fmt.Sprintf("  chat %q on %s", o.Chat, o.Channel)
	}
	return fmt.Sprintf("%s  %s  %s  asked for %s ago%s  %q", task.ID, task.AgentList(), task.State, core.Age(time.Since(task.Created)), where, task.Title)
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
	task, err = ops.Do(ctx, t.runner, api.CancelTaskByTool, call.Actor("kill_async_agent"), api.ToolTaskInput{ID: task.ID, Reason: in.Reason})
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("%s is %s, with everything it had delegated.", task.ID, task.State), nil
}

func (t taskTools) steer(ctx context.Context, call store.Call, args json.RawMessage) (string, error) {
	in, err := Parse[taskArgs](args)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	task, problem, err := t.named(ctx, call, in.ID)
	if problem != "" || err != nil {
		return problem, err
	}
	if task.State.Terminal() {
		return fmt.Sprintf("error: %s has ended already: %s. Nothing was added; start a new task for the rest.", task.ID, task.State), nil
	}
	task, err = ops.Do(ctx, t.runner, api.SteerTaskByTool, call.Actor("steer_task"), api.SteerTaskByToolInput{ID: task.ID, Key: call.Key.String(), Text: in.Text})
	if err != nil {
		return toolError(err)
	}
	return fmt.Sprintf("It is added: %s reads it before its next step. %s is %s.", task.AgentList(), task.ID, task.State), nil
}

func (t taskTools) find(ctx context.Context, call store.Call, args json.RawMessage) (task core.Task, problem string, err error) {
	in, err := Parse[taskArgs](args)
	if err != nil {
		return task, "error: " + err.Error(), nil
	}
	return t.named(ctx, call, in.ID)
}

func (t taskTools) named(ctx context.Context, call store.Call, id string) (task core.Task, problem string, err error) {
	task, err = t.store.FindTask(ctx, id, visible(call))
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrAmbiguous) {
		return task, "error: " + err.Error(), nil
	}
	return task, "", err
}

// visible returns a filter for the tasks that the caller may see: a sub-agent sees those
// that it delegated, another agent those of its own chat.
func visible(call store.Call) store.TaskFilter {
	if call.Task != nil {
		return store.TaskFilter{Caller: call.Key.Owner}
	}
	mine := call.Sees()
	mine.Session = call.Origin.SessionKey
	mine.Asked = !call.Origin.InGroup() // a group must not see an answer from another chat
	return mine
}
