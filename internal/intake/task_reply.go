package intake

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/commands"
	"errand/internal/service"
	"errand/internal/store"
)

// addToTask takes a reply to the message that shows how far the tasks of a turn are as
// what is to be added to the one of them that is at work. Where several are, errand asks
// which. Its Answer is empty where the message is no such reply: an agent answers it, as
// it does once the tasks have ended.
func (i *Intake) addToTask(ctx context.Context, in message, row store.InboxMessage) (commands.Result, error) {
	if in.ReplyTo == "" || in.Pressed || in.Forwarded || len(in.Attachments) > 0 || in.Revision > 0 || in.Route.Channel == errand.ChannelWeb {
		return commands.Result{}, nil
	}
	tasks, err := i.service.Store.ProgressTasks(ctx, row.Session(), in.ReplyTo)
	if err != nil || len(tasks) == 0 {
		return commands.Result{}, err
	}
	t := i.service.Texts.For(in.by.Language, i.service.Language)
	if len(tasks) > 1 {
		lines := make([]string, len(tasks))
		for n, task := range tasks {
			lines[n] = t.Localize("task.which_line", "task", string(task.ID), "agents", task.AgentList(), "title", task.Title)
		}
		return commands.Result{Answer: t.Localize("task.which", "tasks", strings.Join(lines, "\n"))}, nil
	}
	if answer, seen, _, err := i.service.CommandAnswer(ctx, row); err != nil || seen {
		return commands.Result{Answer: answer, Repeated: seen}, err
	}
	by := in.by
	by.Here = row.Session()
	done, err := i.service.SteerTask(ctx, by, tasks[0].ID, service.Steering{
		Text: row.Text, Key: string(row.Session()) + " " + in.MessageID, Route: in.Route, ReplyTo: in.MessageID})
	var no *service.Error
	switch {
	case errors.As(err, &no) && no.Code == service.TaskEndedCode:
		return commands.Result{}, nil // it ended just now
	case errors.As(err, &no):
		return commands.Result{Answer: service.ErrorText(err, t)}, nil
	case err != nil:
		return commands.Result{}, err
	}
	row.Text = commands.AddedText(t, done)
	return commands.Result{Answer: row.Text}, i.service.NoteCommand(ctx, row)
}
