package gateway

import (
	"context"
	"errors"
	"strings"

	"errand"
	"errand/internal/nearest"
	"errand/rights"
	"errand/texts"
)

// A command is answered before any model call, in the words of package texts:
// those of /task are task.about, task.words (what is typed after it) and
// task.example. Who may use it says package rights.
type command struct {
	name        string
	least, most int  // words that it takes; most < 0: any number
	acts        bool // it changes something: the same message does so once
	run         func(*Gateway, context.Context, chat, []string) (string, error)
}

// commands are all that there are, in the order of /help. It is a function
// because help needs it.
func commands() []command {
	return []command{
		{"/help", 0, 0, false, (*Gateway).help},
		{"/agents", 0, 0, false, (*Gateway).agents},
		{"/agent", 0, 1, true, (*Gateway).agent},
		{"/supervisor", 0, 0, true, (*Gateway).supervisor},
		{"/status", 0, 0, false, (*Gateway).status},
		{"/history", 0, 1, false, (*Gateway).history},
		{"/tasks", 0, 0, false, (*Gateway).tasks},
		{"/task", 1, 1, false, (*Gateway).task},
		{"/cancel", 1, -1, true, (*Gateway).cancel},
		{"/stop", 0, 1, true, (*Gateway).stop},
		{"/reset", 0, 0, true, (*Gateway).reset},
		{"/new", 0, 1, true, (*Gateway).newSession},
		{"/busy", 0, 1, true, (*Gateway).busy},
		{"/reminders", 0, 0, false, (*Gateway).reminders},
		{"/usage", 0, 0, false, (*Gateway).usage},
		{"/whoami", 0, 0, false, (*Gateway).whoami},
		{"/language", 0, 1, true, (*Gateway).setLanguage},
		{"/pair", 0, 0, false, (*Gateway).pair},
		{"/approve", 1, -1, true, (*Gateway).approve},
	}
}

// about returns a text about the command: "about", "words" or "example".
func (c command) about(t texts.Texts, what string) string {
	return t.Say(strings.TrimPrefix(c.name, "/") + "." + what)
}

// usage is how it is typed: "/cancel ID [REASON]".
func (c command) usage(t texts.Texts) string {
	if c.most == 0 {
		return c.name
	}
	return c.name + " " + c.about(t, "words")
}

func (c command) example(t texts.Texts) string {
	if c.most == 0 {
		return c.name
	}
	return c.about(t, "example")
}

// A chat is where a command was given, by whom, and in which language it is
// answered.
type chat struct {
	key   errand.SessionKey
	route errand.Route
	by    Actor
	id    string // of the message
	open  bool   // others read the answer
	cmd   command
	texts.Texts
}

// forAgent takes away what keeps a message from being a command: "//text" is
// "/text" to the agent.
func forAgent(text string) string {
	if strings.HasPrefix(text, "//") {
		return text[1:]
	}
	return text
}

// command answers a command. No model is called. What is wrong with it is told
// in the answer; an error is that it could not be carried out just now.
func (g *Gateway) command(ctx context.Context, in Inbound, key errand.SessionKey, text string) (answer string, again bool, err error) {
	by, err := g.actor(ctx, in)
	if err != nil {
		return "", false, err
	}
	c := chat{key: key, route: in.Route, by: by, id: in.MessageID, open: in.Group && !in.Private, Texts: g.Texts.For(by.Language, g.Language)}
	words := strings.Fields(text)
	for _, cmd := range commands() {
		if strings.EqualFold(cmd.name, words[0]) {
			c.cmd = cmd
			return g.once(ctx, in, c, words[1:])
		}
	}
	named := errand.Cut(words[0], 40)
	if near := nearest.Word(words[0], g.commandsFor(by)); near != "" {
		return c.Say("command.nearest", "command", named, "nearest", near), false, nil
	}
	return c.Say("command.unknown", "command", named), false, nil
}

// once carries out a command that changes something once for a message, however
// often that is delivered: a /stop that comes again must not end another turn,
// and one that is edited is not another. One that was interrupted between the
// two is carried out again.
func (g *Gateway) once(ctx context.Context, in Inbound, c chat, words []string) (answer string, again bool, err error) {
	if !c.cmd.acts {
		answer, _, err := g.carryOut(ctx, c, words)
		return answer, false, err
	}
	in.Role = c.by.Role
	message := g.row(in)
	answer, seen, carried, err := g.Store.CommandAnswer(ctx, message)
	switch {
	case err != nil || seen:
		return answer, seen, err
	case carried:
		return c.Say("command.edited", "command", c.cmd.name), false, nil
	}
	answer, acted, err := g.carryOut(ctx, c, words)
	if err != nil || !acted {
		return answer, false, err // what was not carried out can be mended by an edit
	}
	message.Text = answer
	return answer, false, g.Store.NoteCommand(ctx, message)
}

// carryOut answers a command; acted is false if it was refused.
func (g *Gateway) carryOut(ctx context.Context, c chat, words []string) (answer string, acted bool, err error) {
	cmd := c.cmd
	g.Logger.Info("command", "channel", c.route.Channel, "chat", c.route.Chat, "command", cmd.name)
	switch {
	case !g.Rights.May(c.by.Role, rights.Command, cmd.name):
		return c.Say("command.forbidden", "command", cmd.name,
			"role", g.Rights.Name(g.Rights.Least(rights.Command, cmd.name)), "yours", g.Rights.Name(c.by.Role)), false, nil
	case len(words) < cmd.least:
		return c.Say("command.missing", c.usage()...), false, nil
	case cmd.most >= 0 && len(words) > cmd.most:
		return c.Say("command.surplus", c.usage()...), false, nil
	}
	answer, err = cmd.run(g, ctx, c, words)
	var told *Error
	if errors.As(err, &told) {
		return told.Message, false, nil
	}
	return strings.TrimRight(answer, "\n"), err == nil, err
}

// usage fills in what tells how the command is used.
func (c chat) usage() []string {
	return []string{"usage", c.cmd.usage(c.Texts), "about", c.cmd.about(c.Texts, "about"), "example", c.cmd.example(c.Texts)}
}

// commandsFor are the commands that somebody may use.
func (g *Gateway) commandsFor(by Actor) []string {
	var names []string
	for _, cmd := range commands() {
		if g.Rights.May(by.Role, rights.Command, cmd.name) {
			names = append(names, cmd.name)
		}
	}
	return names
}

func (g *Gateway) help(_ context.Context, c chat, _ []string) (string, error) {
	var b strings.Builder
	for _, cmd := range commands() {
		if g.Rights.May(c.by.Role, rights.Command, cmd.name) {
			b.WriteString(c.Say("help.line", "usage", cmd.usage(c.Texts), "about", cmd.about(c.Texts, "about")) + "\n")
		}
	}
	return b.String() + c.Say("help.foot"), nil
}

// A CommandAbout is a command as the menus of platforms show it.
type CommandAbout struct {
	Name  string // "/tasks"
	Usage string // "/cancel ID [REASON]"
	About string
	// Words is what is typed behind it: "ID [REASON]"; empty: nothing. Required says
	// that it does nothing without.
	Words    string
	Required bool
}

// CommandMenu is every command by language; "" is for whoever has another. What
// somebody may not use says so when they try it.
func (g *Gateway) CommandMenu() map[string][]CommandAbout {
	menu := map[string][]CommandAbout{"": commandMenu(g.Texts.For(g.Language))}
	for _, l := range g.Texts.Languages() {
		menu[l.Tag] = commandMenu(g.Texts.For(l.Tag))
	}
	return menu
}

func commandMenu(t texts.Texts) []CommandAbout {
	var list []CommandAbout
	for _, cmd := range commands() {
		about := CommandAbout{Name: cmd.name, Usage: cmd.usage(t), About: cmd.about(t, "about"), Required: cmd.least > 0}
		if cmd.most != 0 {
			about.Words = cmd.about(t, "words")
		}
		list = append(list, about)
	}
	return list
}
