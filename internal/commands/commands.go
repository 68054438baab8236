// Package commands carries out what people type after a slash, over the service and
// without a model: it reads a command, checks who may use it, and answers it.
package commands

import (
	"context"
	"strings"

	"errand"
	"errand/internal/metrics"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/team"
	"errand/internal/texts"
)

// A Runner carries out commands. It is safe for concurrent use.
type Runner struct {
	service *service.Service
	count   *metrics.Counter
}

// New returns what carries out commands over s. It counts them by name in count; nil:
// nobody counts.
func New(s *service.Service, count *metrics.Counter) *Runner { return &Runner{s, count} }

// A command is answered before any model call, in the words of package texts:
// those of /task are task.about, task.words (what is typed after it) and
// task.example. Who may use it says package rights.
type command struct {
	name        string
	least, most int  // words that it takes; most < 0: any number
	acts        bool // it changes something: the same message does so once
	then        bool // what stands behind its words is a message to whoever leads then
	run         func(*Runner, context.Context, chat, []string) (string, error)
}

// commands are all that there are, in the order of /help. It is a function
// because help needs it.
func commands() []command {
	return []command{
		{"/help", 0, 0, false, false, (*Runner).help},
		{"/agents", 0, 0, false, false, (*Runner).agents},
		{"/agent", 0, 1, true, true, (*Runner).agent},
		{"/supervisor", 0, 0, true, true, (*Runner).supervisor},
		{team.Command, 0, -1, true, false, (*Runner).team},
		{"/status", 0, 0, false, false, (*Runner).status},
		{"/history", 0, 1, false, false, (*Runner).history},
		{"/tasks", 0, 0, false, false, (*Runner).tasks},
		{"/task", 1, -1, true, false, (*Runner).task},
		{"/questions", 0, 1, false, false, (*Runner).questions},
		{"/answer", 2, -1, true, false, (*Runner).answer},
		{"/decline", 1, -1, true, false, (*Runner).decline},
		{"/cancel", 1, -1, true, false, (*Runner).cancel},
		{"/stop", 0, 1, true, false, (*Runner).stop},
		{"/reset", 0, 0, true, true, (*Runner).reset},
		{"/new", 0, 1, true, true, (*Runner).newSession},
		{"/busy", 0, 1, true, false, (*Runner).busy},
		{"/reminders", 0, 0, false, false, (*Runner).reminders},
		{"/usage", 0, 0, false, false, (*Runner).usage},
		{"/whoami", 0, 0, false, false, (*Runner).whoami},
		{"/language", 0, 1, true, false, (*Runner).setLanguage},
		{"/timezone", 0, 1, true, false, (*Runner).timeZone},
		{"/pair", 0, 0, false, false, (*Runner).pair},
		{"/approve", 1, -1, true, false, (*Runner).approve},
	}
}

// changes reports whether the command changes something with these words: to look at a
// task does not, to say something to it does.
func (c command) changes(words []string) bool {
	return c.acts && (c.name != "/task" || len(words) > 1)
}

// about returns a text about the command: "about", "words" or "example".
func (c command) about(t texts.Texts, what string) string {
	return t.Localize(strings.TrimPrefix(c.name, "/") + "." + what)
}

// usage is how it is typed: "/cancel ID [REASON]".
func (c command) usage(t texts.Texts) string {
	usage := c.name
	if c.most != 0 {
		usage += " " + c.about(t, "words")
	}
	if c.then {
		usage += " " + t.Localize("command.then")
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
	msg   store.InboxMessage // that it came with
	call  team.Call          // of /team
	text  string             // what stands behind the command, as it was written
	texts.Texts
}
