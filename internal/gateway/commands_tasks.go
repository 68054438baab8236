package gateway

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"

	"errand"
	"errand/activities"
	"errand/internal/service"
	"errand/internal/store"
)

func (g *Gateway) tasks(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := g.Store.Tasks(ctx, store.TaskFilter{Session: c.key, Limit: 10})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return c.Say("tasks.none"), nil
	}
	var b strings.Builder
	for _, t := range list {
		b.WriteString(c.Say("tasks.line", "task", string(t.ID), "state", c.state(t.State), "agents", t.AgentList(), "title", t.Title) + "\n")
	}
	return b.String(), nil
}

// state is what people call a state of a task.
func (c chat) state(s errand.TaskState) string { return c.Say("state." + string(s)) }

func (g *Gateway) task(ctx context.Context, c chat, words []string) (string, error) {
	t, told, err := g.taskFor(ctx, c, words[0])
	if told != "" || err != nil {
		return told, err
	}
	text := c.Say("task.head", "task", string(t.ID), "agents", t.AgentList(), "state", c.state(t.State), "title", t.Title)
	if t.State.Terminal() {
		text += "\n\n" + t.Result + activities.EndText(c.Texts, &t)
	}
	return text, nil
}

// taskFor returns the task that a person means, or what to tell them where they
// mean none.
func (g *Gateway) taskFor(ctx context.Context, c chat, id string) (t errand.Task, told string, err error) {
	t, err = g.findTask(ctx, c, id)
	var e *service.Error
	if !errors.As(err, &e) {
		return t, "", err
	}
	id = errand.Cut(id, 40)
	switch {
	case e.Status == http.StatusNotFound && c.open:
		return t, c.Say("task.none_here", "id", id), nil
	case e.Status == http.StatusNotFound:
		return t, c.Say("task.none", "id", id), nil
	case e.Status == http.StatusConflict:
		return t, c.Say("task.several", "id", id), nil
	}
	return t, "", err
}

// findTask looks among the person's own tasks; where others read the answer, or
// the session is theirs too, among those of the session.
func (g *Gateway) findTask(ctx context.Context, c chat, id string) (errand.Task, error) {
	if !c.open && !c.key.Shared() {
		return g.FindTask(ctx, id, c.by.Person)
	}
	t, err := g.Store.FindTask(ctx, strings.TrimSpace(id), store.TaskFilter{Session: c.key})
	if errors.Is(err, store.ErrNotFound) && !c.open {
		return g.FindTask(ctx, id, c.by.Person)
	}
	return t, service.Known(err)
}

func (g *Gateway) cancel(ctx context.Context, c chat, words []string) (string, error) {
	t, told, err := g.taskFor(ctx, c, words[0])
	if told != "" || err != nil {
		return told, err
	}
	if t.State.Terminal() {
		return c.Say("cancel.ended", "task", string(t.ID), "state", c.state(t.State)), nil
	}
	if no := g.mayForAll(c); no != nil && t.Origin.Person != c.by.Person {
		return "", no
	}
	reason := cmp.Or(strings.TrimSpace(strings.Join(words[1:], " ")), c.Say("cancel.unsaid"))
	if t, err = g.CancelTask(ctx, t.ID, reason); err != nil {
		return "", err
	}
	return c.Say("cancel.done", "task", string(t.ID), "state", c.state(t.State)), nil
}

func (g *Gateway) stop(ctx context.Context, c chat, words []string) (string, error) {
	all := len(words) > 0
	if all && !strings.EqualFold(words[0], "all") {
		return c.Say("command.surplus", c.usage()...), nil
	}
	var whose errand.PersonID // empty: everybody's
	no := g.mayForAll(c)
	if no != nil {
		whose = c.by.Person
	}
	some, err := g.Stop(ctx, c.key, whose, all)
	switch {
	case err != nil:
		return "", err
	case whose != "" && !some:
		return "", no
	case whose != "":
		return c.Say("stop.own"), nil
	case !some:
		return g.nothingToStop(ctx, c)
	case all:
		return c.Say("stop.all"), nil
	}
	return c.Say("stop.done"), nil
}

// nothingToStop says that no turn is running, and what goes on all the same.
func (g *Gateway) nothingToStop(ctx context.Context, c chat) (string, error) {
	open, err := g.Store.Tasks(ctx, store.TaskFilter{Session: c.key, States: errand.OpenStates(), Limit: 1})
	if err != nil {
		return "", err
	}
	if len(open) > 0 {
		return c.Say("stop.goes_on"), nil
	}
	return c.Say("stop.none"), nil
}

const mostReminders = 20 // that /reminders shows

// reminders lists the person's own that will come, wherever they were set; where
// others read the answer, those that come here.
func (g *Gateway) reminders(ctx context.Context, c chat, _ []string) (string, error) {
	f := store.ReminderFilter{Person: c.by.Person}
	if c.open {
		f = store.ReminderFilter{Key: c.key}
	}
	list, err := g.Store.Reminders(ctx, f, false)
	if err != nil {
		return "", err
	}
	switch {
	case len(list) == 0 && c.open:
		return c.Say("reminders.none_here"), nil
	case len(list) == 0:
		return c.Say("reminders.none"), nil
	}
	var b strings.Builder
	for i, r := range list {
		if i == mostReminders {
			b.WriteString("…")
			break
		}
		b.WriteString(c.Say("reminders.line", "reminder", string(r.ID), "time", g.clock(r.Next), "text", oneLine(r.Text, lineOfThem)) + "\n")
	}
	return b.String(), nil
}
