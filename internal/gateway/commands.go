package gateway

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"errand"
	"errand/internal/nearest"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// A command is answered before any model call, in the words of package texts:
// those of /task are task.about, task.words (what is typed after it) and
// task.example. Who may use it says package rights.
type command struct {
	name        string
	least, most int  // words that it takes; most < 0: any number
	acts        bool // it changes something: the same message does so once
	then        bool // what stands behind its words is a message to whoever leads then
	run         func(*Gateway, context.Context, chat, []string) (string, error)
}

// commands are all that there are, in the order of /help. It is a function
// because help needs it.
func commands() []command {
	return []command{
		{"/help", 0, 0, false, false, (*Gateway).help},
		{"/agents", 0, 0, false, false, (*Gateway).agents},
		{"/agent", 0, 1, true, true, (*Gateway).agent},
		{"/supervisor", 0, 0, true, true, (*Gateway).supervisor},
		{"/status", 0, 0, false, false, (*Gateway).status},
		{"/history", 0, 1, false, false, (*Gateway).history},
		{"/tasks", 0, 0, false, false, (*Gateway).tasks},
		{"/task", 1, 1, false, false, (*Gateway).task},
		{"/cancel", 1, -1, true, false, (*Gateway).cancel},
		{"/stop", 0, 1, true, false, (*Gateway).stop},
		{"/reset", 0, 0, true, true, (*Gateway).reset},
		{"/new", 0, 1, true, true, (*Gateway).newSession},
		{"/busy", 0, 1, true, false, (*Gateway).busy},
		{"/reminders", 0, 0, false, false, (*Gateway).reminders},
		{"/usage", 0, 0, false, false, (*Gateway).usage},
		{"/whoami", 0, 0, false, false, (*Gateway).whoami},
		{"/language", 0, 1, true, false, (*Gateway).setLanguage},
		{"/pair", 0, 0, false, false, (*Gateway).pair},
		{"/approve", 1, -1, true, false, (*Gateway).approve},
	}
}

// about returns a text about the command: "about", "words" or "example".
func (c command) about(t texts.Texts, what string) string {
	return t.Say(strings.TrimPrefix(c.name, "/") + "." + what)
}

// usage is how it is typed: "/cancel ID [REASON]".
func (c command) usage(t texts.Texts) string {
	usage := c.name
	if c.most != 0 {
		usage += " " + c.about(t, "words")
	}
	if c.then {
		usage += " " + t.Say("command.then")
	}
	return usage
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
	by    service.Actor
	id    string // of the message
	open  bool   // others read the answer
	then  bool   // a message follows the command
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

// A commanded is what a command came to.
type commanded struct {
	answer string
	again  bool // it has been carried out before
	then   string
	goes   bool // then is a message, or what the message came with is
}

// command answers a command. No model is called. What is wrong with it is told
// in the answer; an error is that it could not be carried out just now.
func (g *Gateway) command(ctx context.Context, in message, key errand.SessionKey, text string) (commanded, error) {
	c := chat{key: key, route: in.Route, by: in.by, id: in.MessageID, open: in.Group && !in.Private, Texts: g.Texts.For(in.by.Language, g.Language)}
	name, rest := nextWord(text)
	for _, cmd := range commands() {
		if isCommandName(cmd.name, name) {
			c.cmd = cmd
			g.Commands.Add(cmd.name)
			return g.once(ctx, in, c, rest)
		}
	}
	g.Commands.Add("unknown")
	named := errand.Cut(name, 40)
	if near := nearest.Word(name, g.commandsFor(c.by)); near != "" {
		return commanded{answer: c.Say("command.nearest", "command", named, "nearest", near)}, nil
	}
	return commanded{answer: c.Say("command.unknown", "command", named)}, nil
}

// isCommandName reports whether a word is a command, in any case: people write
// "/status." and "/supervisor, show me" as they would in a sentence.
func isCommandName(name, word string) bool {
	return strings.EqualFold(name, trimStop(word))
}

// trimStop is a word without the punctuation behind it.
func trimStop(word string) string { return strings.TrimRight(word, ".,;:!?…") }

// nextWord is the first word of text, and what is behind it as it was written.
func nextWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// split takes the words of a command from what is behind its name; then is what is
// left for whoever leads afterwards.
func (c command) split(text string) (words []string, then string) {
	if !c.then {
		return strings.Fields(text), ""
	}
	for then = text; then != "" && len(words) < c.most; {
		var word string
		if word, then = nextWord(then); trimStop(word) != "" {
			word = trimStop(word)
		}
		words = append(words, word)
	}
	return words, then
}

// once carries out a command that changes something once for a message, however
// often that is delivered: a /stop that comes again must not end another turn,
// and one that is edited is not another. One that was interrupted between the
// two is carried out again.
func (g *Gateway) once(ctx context.Context, in message, c chat, text string) (out commanded, err error) {
	words, then := c.cmd.split(text)
	out.then, out.goes = then, c.cmd.then && (then != "" || len(in.Attachments) > 0)
	c.then = out.goes
	if !c.cmd.acts {
		out.answer, _, err = g.carryOut(ctx, c, words)
		return out, err
	}
	message := g.row(in)
	answer, seen, carried, err := g.Store.CommandAnswer(ctx, message)
	switch {
	case err != nil || seen:
		out.answer, out.again = answer, seen
		return out, err
	case carried:
		return commanded{answer: c.Say("command.edited", "command", c.cmd.name)}, nil
	}
	answer, acted, err := g.carryOut(ctx, c, words)
	if err != nil || !acted {
		return commanded{answer: answer}, err // what was not carried out can be mended by an edit
	}
	out.answer = answer
	if out.goes {
		return out, nil // the message notes it
	}
	message.Text = answer
	return out, g.Store.NoteCommand(ctx, message)
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
	var told *service.Error
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
func (g *Gateway) commandsFor(by service.Actor) []string {
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
			if cmd.then {
				about.Words += " " + t.Say("command.then")
			}
		}
		list = append(list, about)
	}
	return list
}
