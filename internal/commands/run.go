package commands

import (
	"context"
	"errors"
	"strings"

	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
)

// A Request is a message with a command.
type Request struct {
	By actor.Actor
	// Message is the message for the inbox, except Text. Text is trimmed and starts with the
	// command, except that /team may follow other words.
	Message  store.InboxMessage
	Text     string
	Open     bool // other people read the answer
	Attached bool // the message has files
}

// A Result is the answer to a command.
type Result struct {
	Answer     string
	Repeated   bool   // the command was carried out before
	Then       string // the text after the command
	HasMessage bool   // Then is a message, or the message has files
}

// Run answers a command without a model. The answer contains refusals; an error is temporary.
func (r *Runner) Run(ctx context.Context, q Request) (Result, error) {
	key := q.Message.Session()
	q.By.Here = key
	c := chat{key: key, route: q.Message.Route, by: q.By, id: q.Message.MessageID, open: q.Open, group: q.Message.Group || q.Message.Shared,
		Texts: r.deps.Texts.For(q.By.Language, r.deps.Language)}
	name, rest := nextWord(q.Text)
	if call, ok := core.ParseTeamCall(q.Text); ok && (call.Before == "" || !core.IsCommand(q.Text)) {
		name, rest, c.call = core.TeamCommand, "", call
	}
	for _, cmd := range commands() {
		if isName(cmd.name, name) {
			c.cmd = cmd
			r.deps.Count.Add(cmd.name)
			return r.once(ctx, q, c, rest)
		}
	}
	r.deps.Count.Add("unknown")
	typed := core.Cut(name, 40)
	if near := content.NearestWord(name, r.commandsFor(ctx, c.by)); near != "" {
		return Result{Answer: c.Localize("command.nearest", "command", typed, "nearest", near)}, nil
	}
	return Result{Answer: c.Localize("command.unknown", "command", typed)}, nil
}

// once carries out a changing command once per message: a repeated /stop must not end another turn,
// and an edit is not another command. It repeats a command that was interrupted.
func (r *Runner) once(ctx context.Context, q Request, c chat, text string) (out Result, err error) {
	words, then := c.cmd.split(text)
	out.Then, out.HasMessage = then, c.cmd.then && (then != "" || q.Attached)
	c.then, c.text = out.HasMessage, text
	if !c.cmd.changes(words) {
		out.Answer, _, err = r.carryOut(ctx, c, words)
		return out, err
	}
	answer, seen, carried, err := r.deps.Internal.CommandAnswer(ctx, q.Message)
	switch {
	case err != nil || seen:
		out.Answer, out.Repeated = answer, seen
		return out, err
	case carried:
		return Result{Answer: c.Localize("command.edited", "command", c.cmd.name)}, nil
	}
	answer, acted, err := r.carryOut(ctx, c, words)
	if err != nil || !acted {
		return Result{Answer: answer}, err // an edit may correct a refused command
	}
	out.Answer = answer
	if out.HasMessage {
		return out, nil // the row of the message records the command
	}
	q.Message.Text = answer
	return out, r.deps.Internal.NoteCommand(ctx, q.Message)
}

func (r *Runner) carryOut(ctx context.Context, c chat, words []string) (answer string, acted bool, err error) {
	cmd := c.cmd
	r.deps.Logger.Info("command", "channel", c.route.Channel, "chat", c.route.Chat, "command", cmd.name)
	switch {
	case r.deps.Rights.May(c.by.Role, rights.Command, cmd.name) && !r.deps.Allows(c.by, rights.Command, cmd.name):
		return service.ErrorText(r.deps.MayUse(c.by, rights.Command, cmd.name), c.Texts), false, nil
	case !r.deps.Rights.May(c.by.Role, rights.Command, cmd.name):
		return c.Localize("command.forbidden", "command", cmd.name,
			"role", r.deps.RoleName(r.deps.Rights.Least(rights.Command, cmd.name), c.Texts), "yours", r.deps.RoleName(c.by.Role, c.Texts)), false, nil
	case len(words) < cmd.least:
		return c.Localize("command.missing", c.usage()...), false, nil
	case cmd.most >= 0 && len(words) > cmd.most:
		return c.Localize("command.surplus", c.usage()...), false, nil
	}
	answer, err = cmd.run(r, ctx, c, words)
	if errors.As(err, new(*service.Error)) {
		return service.ErrorText(err, c.Texts), false, nil
	}
	return strings.TrimRight(answer, "\n"), err == nil, err
}

func (c chat) usage() []string {
	return []string{"usage", c.cmd.usage(c.Texts), "about", c.cmd.about(c.Texts, "about"), "example", c.cmd.example(c.Texts)}
}
