package commands

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/nearest"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/team"
)

// A Request is a message that is a command.
type Request struct {
	By service.Actor
	// Message is the message as the inbox would have it, but for what it says: that is
	// Text, trimmed, with the command first; /team may stand behind other words.
	Message  store.InboxMessage
	Text     string
	Open     bool // others read the answer
	Attached bool // it came with files
}

// A Result is what a command came to.
type Result struct {
	Answer     string
	Repeated   bool   // it has been carried out before
	Then       string // what stands behind the command
	HasMessage bool   // Then is a message, or what the message came with is
}

// Run answers a command. No model is called. What is wrong with it is told in the
// answer; an error is that it could not be carried out just now.
func (r *Runner) Run(ctx context.Context, q Request) (Result, error) {
	key := q.Message.Session()
	q.By.Here = key
	c := chat{key: key, route: q.Message.Route, by: q.By, id: q.Message.MessageID, open: q.Open,
		Texts: r.service.Texts.For(q.By.Language, r.service.Language)}
	name, rest := nextWord(q.Text)
	if call, ok := team.Parse(q.Text); ok && (call.Before == "" || !errand.IsCommand(q.Text)) {
		name, rest, c.call, c.msg = team.Command, "", call, q.Message
	}
	for _, cmd := range commands() {
		if isName(cmd.name, name) {
			c.cmd = cmd
			r.count.Add(cmd.name)
			return r.once(ctx, q, c, rest)
		}
	}
	r.count.Add("unknown")
	typed := errand.Cut(name, 40)
	if near := nearest.Word(name, r.commandsFor(c.by)); near != "" {
		return Result{Answer: c.Localize("command.nearest", "command", typed, "nearest", near)}, nil
	}
	return Result{Answer: c.Localize("command.unknown", "command", typed)}, nil
}

// once carries out a command that changes something once for a message, however
// often that is delivered: a /stop that comes again must not end another turn,
// and one that is edited is not another. One that was interrupted between the
// two is carried out again.
func (r *Runner) once(ctx context.Context, q Request, c chat, text string) (out Result, err error) {
	words, then := c.cmd.split(text)
	out.Then, out.HasMessage = then, c.cmd.then && (then != "" || q.Attached)
	c.then, c.text = out.HasMessage, text
	if !c.cmd.changes(words) {
		out.Answer, _, err = r.carryOut(ctx, c, words)
		return out, err
	}
	answer, seen, carried, err := r.service.CommandAnswer(ctx, q.Message)
	switch {
	case err != nil || seen:
		out.Answer, out.Repeated = answer, seen
		return out, err
	case carried:
		return Result{Answer: c.Localize("command.edited", "command", c.cmd.name)}, nil
	}
	answer, acted, err := r.carryOut(ctx, c, words)
	if err != nil || !acted {
		return Result{Answer: answer}, err // what was not carried out can be mended by an edit
	}
	out.Answer = answer
	if out.HasMessage {
		return out, nil // the message notes it
	}
	q.Message.Text = answer
	return out, r.service.NoteCommand(ctx, q.Message)
}

// carryOut answers a command; acted is false if it was refused.
func (r *Runner) carryOut(ctx context.Context, c chat, words []string) (answer string, acted bool, err error) {
	cmd := c.cmd
	r.service.Logger.Info("command", "channel", c.route.Channel, "chat", c.route.Chat, "command", cmd.name)
	switch {
	case r.service.Rights.May(c.by.Role, rights.Command, cmd.name) && !r.service.Allows(c.by, rights.Command, cmd.name):
		return service.ErrorText(r.service.MayUse(c.by, rights.Command, cmd.name), c.Texts), false, nil
	case !r.service.Rights.May(c.by.Role, rights.Command, cmd.name):
		return c.Localize("command.forbidden", "command", cmd.name,
			"role", r.service.RoleName(r.service.Rights.Least(rights.Command, cmd.name), c.Texts), "yours", r.service.RoleName(c.by.Role, c.Texts)), false, nil
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

// usage fills in what tells how the command is used.
func (c chat) usage() []string {
	return []string{"usage", c.cmd.usage(c.Texts), "about", c.cmd.about(c.Texts, "about"), "example", c.cmd.example(c.Texts)}
}
