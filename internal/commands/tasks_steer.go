package commands

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/service"
	"errand/internal/texts"
)

// steer says something to a task: one that is at work takes it along, and one that has
// ended goes on with it as a new one.
func (r *Runner) steer(ctx context.Context, c chat, t errand.Task, text string) (string, error) {
	steering := service.Steering{Text: text, Key: c.messageKey(), Route: c.route, Group: c.open, ReplyTo: c.id}
	done, err := r.service.SteerTask(ctx, c.by, t.ID, steering)
	var no *service.Error
	if errors.As(err, &no) && no.Code == service.TaskEndedCode {
		return r.goOn(ctx, c, t.ID, steering)
	}
	if err != nil {
		return "", err
	}
	return AddedText(c.Texts, done), nil
}

// AddedText tells whoever has added to a task which of its agents read it.
func AddedText(t texts.Texts, done service.Steered) string {
	key := "task.added"
	if len(done.Readers) < len(done.Agents) {
		key = "task.added_some"
	}
	return t.Localize(key, "task", string(done.ID), "agents", names(done.Readers))
}

func (r *Runner) goOn(ctx context.Context, c chat, id errand.TaskID, steering service.Steering) (string, error) {
	next, err := r.service.ContinueTask(ctx, c.by, id, steering)
	if err != nil {
		return "", err
	}
	return c.Localize("task.goes_on", "task", string(id), "next", string(next.ID), "agents", names(next.Agents)), nil
}

// messageKey is the key of what a message says: delivered again, it says nothing more.
func (c chat) messageKey() string { return string(c.key) + " " + c.id }

func names(agents []errand.AgentName) string {
	list := make([]string, len(agents))
	for i, a := range agents {
		list[i] = a.Display()
	}
	return strings.Join(list, ", ")
}
