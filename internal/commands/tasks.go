package commands

import (
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
)

func (r *Runner) tasks(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := r.listTasks(ctx, c.by, api.ListTasksInput{TaskFilter: api.TaskFilter{Here: c.key}, Limit: 10})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return c.Localize("tasks.none"), nil
	}
	var b strings.Builder
	for _, t := range core.Tree(list) {
		in := strings.Repeat("    ", t.Depth)
		b.WriteString(in + c.Localize("tasks.line", "task", string(t.ID), "state", c.state(t.State), "from", c.from(t.Task), "agents", t.AgentList(), "title", t.Title,
			"took", core.Age(t.Took(r.deps.Now())), "cost", c.cost(t.Cost)))
		if t.Continues != "" {
			b.WriteString("  (" + c.Localize("task.continues", "task", string(t.Continues)) + ")")
		}
		b.WriteString("\n")
		if line := t.PlanLine(); line != "" {
			b.WriteString(in + "    " + line + "\n")
		}
		// Other people in this chat must not read a result from another chat.
		private := t.Origin.SessionKey != c.key && (c.open || c.key.Shared())
		if preview := t.Preview(longestPreview); preview != "" && !private {
			b.WriteString(in + "    " + preview + "\n")
		}
	}
	return b.String(), nil
}

const longestPreview = 100 // characters

func (c chat) from(t core.Task) string {
	if t.From != "" {
		return string(t.From)
	}
	return c.who("")
}

func (c chat) cost(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return c.Localize("tasks.cost", "cost", c.Number(usd, 2))
}

func (c chat) state(s core.TaskState) string { return c.Localize("state." + string(s)) }

func (r *Runner) task(ctx context.Context, c chat, words []string) (string, error) {
	t, answer, err := r.taskFor(ctx, c, words[0])
	if answer != "" || err != nil {
		return answer, err
	}
	if len(words) > 1 {
		return r.steer(ctx, c, t, words[1])
	}
	text := c.Localize("task.head", "task", string(t.ID), "agents", t.AgentList(), "state", c.state(t.State), "title", t.Title)
	if t.Continues != "" {
		text += "\n" + c.Localize("task.continues", "task", string(t.Continues))
	}
	for _, p := range t.Plans {
		text += "\n"
		if len(t.Agents) > 1 {
			text += "\n" + p.Agent.Display() + ":"
		}
		text += "\n" + p.List()
	}
	if t.State.Terminal() {
		text += "\n\n" + c.Texts.TaskResult(&t) + c.Texts.TaskError(&t)
	}
	return text, nil
}

func (r *Runner) taskFor(ctx context.Context, c chat, id string) (t core.Task, answer string, err error) {
	t, err = r.findTask(ctx, c, id)
	var e *service.Error
	if !errors.As(err, &e) {
		return t, "", err
	}
	id = core.Cut(id, 40)
	if e.Kind == service.KindNotFound {
		if near := r.nearestTask(ctx, c, id); near != "" {
			return t, c.Localize("task.nearest", "id", id, "nearest", near), nil
		}
	}
	switch {
	case e.Kind == service.KindNotFound && c.open:
		return t, c.Localize("task.none_here", "id", id), nil
	case e.Kind == service.KindNotFound:
		return t, c.Localize("task.none", "id", id), nil
	case e.Kind == service.KindConflict:
		return t, c.Localize("task.several", "id", id), nil
	}
	return t, "", err
}

func (r *Runner) nearestTask(ctx context.Context, c chat, id string) string {
	in := api.ListTasksInput{TaskFilter: api.TaskFilter{Here: c.key}}
	if !c.open && !c.key.Shared() {
		in.Here = ""
	}
	list, err := r.listTasks(ctx, c.by, in)
	if err != nil {
		return "" // without a hint
	}
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = string(t.ID)
	}
	return content.NearestWord(id, ids)
}

// findTask searches the person's own tasks. In a shared session, or if other people read the
// answer, it searches the session's tasks.
func (r *Runner) findTask(ctx context.Context, c chat, id string) (core.Task, error) {
	if !c.open && !c.key.Shared() {
		return r.getTask(ctx, c, id, "")
	}
	t, err := r.getTask(ctx, c, id, c.key)
	var no *service.Error
	if errors.As(err, &no) && no.Kind == service.KindNotFound && !c.open {
		return r.getTask(ctx, c, id, "")
	}
	return t, err
}

func (r *Runner) getTask(ctx context.Context, c chat, id string, in core.SessionKey) (core.Task, error) {
	t, err := ops.Do(ctx, r.deps.Runner, api.GetTask, c.by, api.GetTaskInput{TaskID: api.TaskID{ID: id}, Session: in})
	return t.Task, err
}

func (r *Runner) listTasks(ctx context.Context, by actor.Actor, in api.ListTasksInput) ([]core.Task, error) {
	list, err := ops.Do(ctx, r.deps.Runner, api.ListTasks, by, in)
	tasks := make([]core.Task, len(list.Items))
	for i, t := range list.Items {
		tasks[i] = t.Task
	}
	return tasks, err
}

func (r *Runner) cancel(ctx context.Context, c chat, words []string) (string, error) {
	t, answer, err := r.taskFor(ctx, c, words[0])
	if answer != "" || err != nil {
		return answer, err
	}
	if t.State.Terminal() {
		return c.Localize("cancel.ended", "task", string(t.ID), "state", c.state(t.State)), nil
	}
	if no := r.mayForAll(c); no != nil && t.Origin.Person != c.by.Person {
		return "", no
	}
	in := api.CancelTaskInput{TaskRef: changed(c, t)}
	in.Body.Reason = strings.Join(words[1:], " ")
	done, err := ops.Do(ctx, r.deps.Runner, api.CancelTask, c.by, in)
	if err != nil {
		return "", err
	}
	return c.Localize("cancel.done", "task", string(done.ID), "state", c.state(done.State)), nil
}

// changed refers to a task found in the chat, for an operation that changes it.
func changed(c chat, t core.Task) api.TaskRef {
	in := api.TaskRef{TaskID: api.TaskID{ID: string(t.ID)}}
	if t.Origin.Person != c.by.Person {
		in.Session = c.key
	}
	return in
}

func (r *Runner) stop(ctx context.Context, c chat, words []string) (string, error) {
	all := len(words) > 0
	if all && !strings.EqualFold(words[0], "all") {
		return c.Localize("command.surplus", c.usage()...), nil
	}
	no := r.mayForAll(c) // without the right, only the person's own tasks end
	ended, err := ops.Do(ctx, r.deps.Runner, api.StopChat, c.by, api.StopChatInput{ConversationKey: c.conversation(), All: all})
	switch {
	case err != nil:
		return "", err
	case no != nil && !ended.Any:
		return "", no
	case no != nil:
		return c.Localize("stop.own"), nil
	case ended.Left:
		return c.Localize("stop.goes_on"), nil
	case !ended.Any:
		return c.Localize("stop.none"), nil
	case all:
		return c.Localize("stop.all"), nil
	}
	return c.Localize("stop.done"), nil
}

const mostReminders = 20 // that /reminders shows

// reminders lists the person's reminders, or only this chat's if other people read the answer.
func (r *Runner) reminders(ctx context.Context, c chat, _ []string) (string, error) {
	var in api.ListRemindersInput
	if c.open {
		in.Session = c.key
	}
	reminders, err := ops.Do(ctx, r.deps.Runner, api.ListReminders, c.by, in)
	if err != nil {
		return "", err
	}
	list := reminders.Items
	switch {
	case len(list) == 0 && c.open:
		return c.Localize("reminders.none_here"), nil
	case len(list) == 0:
		return c.Localize("reminders.none"), nil
	}
	var b strings.Builder
	for i, next := range list {
		if i == mostReminders {
			b.WriteString("…")
			break
		}
		b.WriteString(c.Localize("reminders.line", "reminder", string(next.ID), "time", r.clock(c, next.Next), "text", oneLine(next.Text, lineOfThem)) + "\n")
	}
	return b.String(), nil
}
