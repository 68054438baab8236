// Package commands carries out the commands that people type after a slash, through the service and
// without a model: it reads a command, checks who may use it, and answers it.
package commands

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/texts"
)

// Deps are what commands work with. All but Count are required.
type Deps struct {
	*service.Env
	Runner   *ops.Runner
	Internal Internal
	Logins   Logins
	Roster   *agents.Roster
	// RosterOf returns the roster of the account that a conversation is on.
	RosterOf     func(core.SessionKey) *agents.Roster
	TeamMessages int                // how many messages /team passes on by default
	Count        *telemetry.Counter // of commands, by name
}

// DepsOf returns what the commands of a service work with. Count may be nil.
func DepsOf(s *service.Service, count *telemetry.Counter) Deps {
	return Deps{Env: s.Env, Runner: s.Runner, Internal: s.Internal, Logins: s.Logins,
		Roster: s.Roster, RosterOf: s.RosterOf, TeamMessages: s.Team.TeamMessages(), Count: count}
}

// Internal stores the answers of commands; [service.Internal] in production.
type Internal interface {
	NoteCommand(context.Context, store.InboxMessage) error
	CommandAnswer(context.Context, store.InboxMessage) (answer string, seen, carried bool, err error)
}

// Logins finds a person as an actor; [service.Logins] in production.
type Logins interface {
	ActorOf(context.Context, core.PersonID) (actor.Actor, error)
}

// A Runner carries out commands. It is safe for concurrent use.
type Runner struct{ deps Deps }

// New returns a Runner.
func New(d Deps) *Runner { return &Runner{d} }

// A command is answered before any model call. Its texts are in package texts: /task has
// task.about, task.words (its arguments) and task.example. Package rights decides who may use it.
type command struct {
	name        string
	least, most int  // number of arguments; most < 0: any number
	acts        bool // it changes something, but only once per message
	then        bool // text after the arguments is a message to the agent that leads afterwards
	run         func(*Runner, context.Context, chat, []string) (string, error)
}

// commands is a function, because help refers to it.
func commands() []command {
	return []command{
		{"/help", 0, 0, false, false, (*Runner).help},
		{"/agents", 0, 0, false, false, (*Runner).agents},
		{"/agent", 0, 1, true, true, (*Runner).agent},
		{"/supervisor", 0, 0, true, true, (*Runner).supervisor},
		{core.TeamCommand, 0, -1, true, false, (*Runner).team},
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

// changes reports whether a call changes something. /task with only an id does not.
func (c command) changes(words []string) bool {
	return c.acts && (c.name != "/task" || len(words) > 1)
}

// about returns a text of the command; what is "about", "words" or "example".
func (c command) about(t texts.Texts, what string) string {
	return t.Localize(strings.TrimPrefix(c.name, "/") + "." + what)
}

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

type chat struct {
	key   core.SessionKey
	route core.Route
	by    actor.Actor
	id    string // of the message
	open  bool   // other people read the answer
	group bool   // other people read the chat
	then  bool   // a message follows the command
	cmd   command
	call  core.TeamCall // of /team
	text  string        // the text after the command, as typed
	texts.Texts
}

func (c chat) conversation() api.ConversationKey { return api.ConversationKey{Key: c.key} }
