package commands

import (
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/texts"
)

// steer adds a text to a running task, or continues an ended one as a new task.
func (r *Runner) steer(ctx context.Context, c chat, t core.Task, text string) (string, error) {
	in := api.SteerTaskInput{TaskRef: changed(c, t), Key: c.messageKey()}
	in.Body.Text = text
	done, err := ops.Do(ctx, r.deps.Runner, api.SteerTask, c.by, in)
	var no *service.Error
	if errors.As(err, &no) && no.Code == service.TaskEndedCode {
		return r.goOn(ctx, c, t, text)
	}
	if err != nil {
		return "", err
	}
	return AddedText(c.Texts, done), nil
}

// AddedText says which agents of the task will read the addition.
func AddedText(t texts.Texts, done api.Task) string {
	key := "task.added"
	if len(done.Readers) < len(done.Agents) {
		key = "task.added_some"
	}
	return t.Localize(key, "task", string(done.ID), "agents", names(done.Readers))
}

func (r *Runner) goOn(ctx context.Context, c chat, t core.Task, text string) (string, error) {
	in := api.ContinueTaskInput{TaskRef: changed(c, t), Key: c.messageKey(), Route: c.route, Group: c.open, ReplyTo: c.id}
	in.Body.Text = text
	next, err := ops.Do(ctx, r.deps.Runner, api.ContinueTask, c.by, in)
	if err != nil {
		return "", err
	}
	return c.Localize("task.goes_on", "task", string(t.ID), "next", string(next.ID), "agents", names(next.Agents)), nil
}

// messageKey is the same for a repeated delivery of the message, which then adds nothing.
func (c chat) messageKey() string { return string(c.key) + " " + c.id }

func names(agents []core.AgentName) string {
	list := make([]string, len(agents))
	for i, a := range agents {
		list[i] = a.Display()
	}
	return strings.Join(list, ", ")
}
