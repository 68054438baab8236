package commands

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/nearest"
	"errand/internal/service"
)

func (r *Runner) tasks(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := r.service.TasksIn(ctx, c.by, c.key, 10)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return c.Localize("tasks.none"), nil
	}
	var b strings.Builder
	for _, t := range errand.Tree(list) {
		in := strings.Repeat("    ", t.Depth)
		b.WriteString(in + c.Localize("tasks.line", "task", string(t.ID), "state", c.state(t.State), "from", c.from(t.Task), "agents", t.AgentList(), "title", t.Title,
			"took", errand.Age(t.Took(r.service.Now())), "cost", c.cost(t.Cost)))
		if t.Continues != "" {
			b.WriteString("  (" + c.Localize("task.continues", "task", string(t.Continues)) + ")")
		}
		b.WriteString("\n")
		if line := t.PlanLine(); line != "" {
			b.WriteString(in + "    " + line + "\n")
		}
		// An answer in another chat is not for the people of this one.
		private := t.Origin.SessionKey != c.key && (c.open || c.key.Shared())
		if preview := t.Preview(longestPreview); preview != "" && !private {
			b.WriteString(in + "    " + preview + "\n")
		}
	}
	return b.String(), nil
}

const longestPreview = 100 // characters

// from is who delegated a task: an agent, or a person.
func (c chat) from(t errand.Task) string {
	if t.From != "" {
		return string(t.From)
	}
	return c.who("")
}

// cost stands behind the time that a task took, where it cost anything.
func (c chat) cost(usd float64) string {
	if usd <= 0 {
		return ""
	}
	return c.Localize("tasks.cost", "cost", c.Number(usd, 2))
}

func (c chat) state(s errand.TaskState) string { return c.Localize("state." + string(s)) }

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

func (r *Runner) taskFor(ctx context.Context, c chat, id string) (t errand.Task, answer string, err error) {
	t, err = r.findTask(ctx, c, id)
	var e *service.Error
	if !errors.As(err, &e) {
		return t, "", err
	}
	id = errand.Cut(id, 40)
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
	list, err := r.service.TasksIn(ctx, c.by, c.key, 0)
	if !c.open && !c.key.Shared() {
		list, err = r.service.Tasks(ctx, c.by, service.TaskFilter{})
	}
	if err != nil {
		return "" // there is none, in any case
	}
	ids := make([]string, len(list))
	for i, t := range list {
		ids[i] = string(t.ID)
	}
	return nearest.Word(id, ids)
}

// findTask looks among the person's own tasks; where others read the answer, or
// the session is theirs too, among those of the session.
func (r *Runner) findTask(ctx context.Context, c chat, id string) (errand.Task, error) {
	if !c.open && !c.key.Shared() {
		return r.service.FindTask(ctx, c.by, id, c.by.Person)
	}
	t, err := r.service.FindTaskIn(ctx, c.by, id, c.key)
	var no *service.Error
	if errors.As(err, &no) && no.Kind == service.KindNotFound && !c.open {
		return r.service.FindTask(ctx, c.by, id, c.by.Person)
	}
	return t, err
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
	if t, err = r.service.CancelTask(ctx, c.by, t.ID, strings.Join(words[1:], " ")); err != nil {
		return "", err
	}
	return c.Localize("cancel.done", "task", string(t.ID), "state", c.state(t.State)), nil
}

func (r *Runner) stop(ctx context.Context, c chat, words []string) (string, error) {
	all := len(words) > 0
	if all && !strings.EqualFold(words[0], "all") {
		return c.Localize("command.surplus", c.usage()...), nil
	}
	no := r.mayForAll(c) // then what they have asked for themselves ends
	ended, err := r.service.Stop(ctx, c.by, c.key, all)
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

// reminders lists the person's own that will come, wherever they were set; where
// others read the answer, those that come here.
func (r *Runner) reminders(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := r.remindersOf(ctx, c)
	if err != nil {
		return "", err
	}
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

func (r *Runner) remindersOf(ctx context.Context, c chat) ([]service.Reminder, error) {
	if c.open {
		return r.service.RemindersIn(ctx, c.by, c.key)
	}
	return r.service.Reminders(ctx, c.by, false, service.Page{})
}
