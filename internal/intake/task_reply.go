package intake

import (
	"context"
	"errors"
	"strings"

	"errand/api"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
)

// addToTask adds a reply to a progress message to the running task, or asks which task is meant.
// For other messages, and if the tasks have ended, Answer is empty and an agent answers.
func (i *Intake) addToTask(ctx context.Context, in message, row store.InboxMessage) (commands.Result, error) {
	if in.ReplyTo == "" || in.Pressed || in.Forwarded || len(in.Attachments) > 0 || in.Revision > 0 || in.Route.Channel == core.ChannelWeb {
		return commands.Result{}, nil
	}
	tasks, err := i.deps.Store.ProgressTasks(ctx, row.Session(), in.ReplyTo)
	if err != nil || len(tasks) == 0 {
		return commands.Result{}, err
	}
	t := i.deps.Texts.For(in.by.Language, i.deps.Language)
	if len(tasks) > 1 {
		lines := make([]string, len(tasks))
		for n, task := range tasks {
			lines[n] = t.Localize("task.which_line", "task", string(task.ID), "agents", task.AgentList(), "title", task.Title)
		}
		return commands.Result{Answer: t.Localize("task.which", "tasks", strings.Join(lines, "\n"))}, nil
	}
	if answer, seen, _, err := i.deps.Internal.CommandAnswer(ctx, row); err != nil || seen {
		return commands.Result{Answer: answer, Repeated: seen}, err
	}
	by := in.by
	by.Here = row.Session()
	steer := api.SteerTaskInput{Key: string(row.Session()) + " " + in.MessageID}
	steer.ID, steer.Session = string(tasks[0].ID), row.Session()
	steer.Body.Text = row.Text
	done, err := ops.Do(ctx, i.deps.Runner, api.SteerTask, by, steer)
	var no *service.Error
	switch {
	case errors.As(err, &no) && no.Code == service.TaskEndedCode:
		return commands.Result{}, nil // it has just ended
	case errors.As(err, &no):
		return commands.Result{Answer: service.ErrorText(err, t)}, nil
	case err != nil:
		return commands.Result{}, err
	}
	row.Text = commands.AddedText(t, done)
	return commands.Result{Answer: row.Text}, i.deps.Internal.NoteCommand(ctx, row)
}
