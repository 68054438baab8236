package gateway

import (
	"context"
	"fmt"
	"strings"

	"errand"
	"errand/store"
	"errand/workflows"
)

// A command is answered before any model call.
type command struct {
	name, words, about string
	run                func(g *Gateway, ctx context.Context, c chat, words []string) (string, error)
}

// A chat is where a command was given, and by whom.
type chat struct {
	key    errand.SessionKey
	route  errand.Route
	person errand.PersonID
	id     string // of the message
}

// commands is filled in by init order: help lists it, so it cannot be a literal
// that refers to help.
func commands() []command {
	return []command{
		{"/help", "", "what can be said here", (*Gateway).help},
		{"/tasks", "", "the latest tasks", (*Gateway).tasks},
		{"/task", "ID", "one task and its result", (*Gateway).task},
		{"/cancel", "ID [REASON]", "cancel a task and what it delegated", (*Gateway).cancel},
		{"/stop", "[all]", "end the running turn and the tasks it waits for; all: every open task", (*Gateway).stop},
		{"/reset", "", "begin a new session; tasks at work go on", (*Gateway).reset},
		{"/busy", "MODE", "what happens with messages while an agent works: collect, steer, queue or interrupt", (*Gateway).busy},
	}
}

// command answers text if it is one.
func (g *Gateway) command(ctx context.Context, in Inbound, key errand.SessionKey, text string) (string, bool, error) {
	if !strings.HasPrefix(text, "/") {
		return "", false, nil
	}
	words := strings.Fields(text)
	for _, c := range commands() {
		if strings.EqualFold(c.name, words[0]) {
			answer, err := c.run(g, ctx, chat{key, in.Route, in.Person, in.MessageID}, words[1:])
			g.Logger.Info("command", "channel", in.Route.Channel, "chat", in.Route.Chat, "command", c.name)
			return answer, true, err
		}
	}
	return fmt.Sprintf("There is no command %s. Did you mean %s? /help lists them all.", errand.Cut(words[0], 40), nearest(words[0])), true, nil
}

func (g *Gateway) help(context.Context, chat, []string) (string, error) {
	var b strings.Builder
	for _, c := range commands() {
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(c.name+" "+c.words), c.about)
	}
	return b.String(), nil
}

func (g *Gateway) tasks(ctx context.Context, c chat, _ []string) (string, error) {
	list, err := g.Store.Tasks(ctx, store.TaskFilter{Session: c.key, Limit: 10})
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "No tasks yet.", nil
	}
	var b strings.Builder
	for _, t := range list {
		fmt.Fprintf(&b, "%s  %s  %s  %s\n", t.ID, t.State, t.AgentList(), t.Title)
	}
	return b.String(), nil
}

func (g *Gateway) task(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) != 1 {
		return "Say which: /task ID", nil
	}
	t, err := g.FindTask(ctx, words[0], c.person)
	if err != nil {
		return err.Error(), nil
	}
	text := fmt.Sprintf("%s, %s, %s: %s", t.ID, t.AgentList(), t.State, t.Title)
	if t.State.Terminal() {
		text += "\n\n" + t.Result + t.Error
	}
	return text, nil
}

func (g *Gateway) cancel(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) == 0 {
		return "Say which: /cancel ID", nil
	}
	t, err := g.FindTask(ctx, words[0], c.person)
	if err != nil {
		return err.Error(), nil
	}
	if t.State.Terminal() {
		return fmt.Sprintf("%s has ended already: %s.", t.ID, t.State), nil
	}
	if t, err = g.CancelTask(ctx, t.ID, strings.Join(words[1:], " ")); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is %s.", t.ID, t.State), nil
}

func (g *Gateway) stop(ctx context.Context, c chat, words []string) (string, error) {
	all := len(words) > 0 && strings.EqualFold(words[0], "all")
	if err := g.Stop(ctx, c.key, all); err != nil {
		return "", err
	}
	if all {
		return "Stopped, with every open task.", nil
	}
	return "Stopped.", nil
}

func (g *Gateway) reset(ctx context.Context, c chat, _ []string) (string, error) {
	if _, err := g.resetFor(ctx, c.key, c.id); err != nil {
		return "", err
	}
	return "A new session begins. Tasks at work go on and will report here.", nil
}

func (g *Gateway) busy(ctx context.Context, c chat, words []string) (string, error) {
	if len(words) != 1 || !workflows.BusyMode(strings.ToLower(words[0])).Valid() {
		return "Say which: /busy collect, steer, queue or interrupt.", nil
	}
	mode := workflows.BusyMode(strings.ToLower(words[0]))
	if err := g.SetBusy(ctx, c.key, mode); err != nil {
		return "", err
	}
	return fmt.Sprintf("From now on: %s.", mode), nil
}

// nearest returns the command that shares the longest beginning with word.
func nearest(word string) string {
	best, most := "/help", 1
	for _, c := range commands() {
		n := 0
		for n < len(word) && n < len(c.name) && word[n] == c.name[n] {
			n++
		}
		if n > most {
			best, most = c.name, n
		}
	}
	return best
}
