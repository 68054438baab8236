// Package discord is Discord's inbound half: it is connected to the gateway as one
// bot, and hands what people write to package intake.
//
// The wire is spoken here and not by discordgo, whose types are used: told that a
// session is invalid, it identifies again at once and as often as it is told so,
// while Discord resets a token that identifies a thousand times in a day; and it
// keeps to itself the code a connection was closed with, which says what to do.
//
// Discord does not keep what a client has not confirmed. A session that is
// resumed gets the events it missed; when there is no session to resume, be it
// that the process died, the messages of each chat are fetched from behind the
// last one that is in the inbox. What is waiting to be committed waits in memory,
// chat by chat, and is tried until it is. Of a message that was written, edited or
// deleted by somebody while errand was away, the last state is seen; a deletion is
// not.
//
// A thread is a channel of its own on Discord, with messages of its own: it is the
// chat of a route, and routes have no thread.
package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/gorilla/websocket"

	"errand/internal/channels"
	"errand/internal/commands"
	"errand/internal/intake"
	"errand/internal/platform/discord"
	"errand/internal/texts"
)

// A Memory knows how far the chats of an account have come in.
type Memory interface {
	Cursors(ctx context.Context, channel, account string) ([]intake.Cursor, error)
}

// A Suggester knows what somebody may be about to type behind a command.
type Suggester interface {
	Suggest(ctx context.Context, in intake.Inbound, command, prefix string) ([]commands.Suggestion, error)
}

var (
	_ Memory    = (*intake.Intake)(nil)
	_ Suggester = (*intake.Intake)(nil)
)

// Options is what a channel needs. Account, Token, Receiver, Memory and Logger are
// required.
type Options struct {
	Account  string // what errand calls it
	Token    string // without "Bot "
	Receiver channels.Receiver
	Memory   Memory
	Logger   *slog.Logger

	Client *http.Client
	Dialer *websocket.Dialer // default: websocket.DefaultDialer
	// Commands are those that clients offer, by language; "" is for all others.
	// Without any, what is set stays.
	Commands map[string][]commands.MenuEntry
	Suggest  Suggester // nil: nothing is suggested
	// People, if set, are those whose direct messages are looked for when a session
	// begins: whoever wrote for the first time while errand was away.
	People People
	// Words is what is said about interactions, by language; "" is for all others.
	Words map[string]Words
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Pause and LongestPause are between attempts that failed, doubled each time;
	// default 1 s and 1 min.
	Pause, LongestPause time.Duration
	// Patience is how late a command or a button is still carried out; default 30 s.
	// Whoever wrote /stop has done something else long since, and is told.
	Patience time.Duration
	// Back is how old a message may be that is fetched because errand was away;
	// default a week.
	Back time.Duration
}

// Words is what is said about interactions.
type Words struct {
	Failed  string // it could not be carried out just now
	Pressed string // which button was pressed: texts.Shipped().Localize("press.answer", "answer", "{answer}")
}

// A Channel is one bot of ours. Only one may run.
type Channel struct {
	Options
	*channels.StatusReporter
	rest *discord.Client
}

var _ channels.Connection = (*Channel)(nil)

// New returns a channel. It does not call Discord.
func New(o Options) (*Channel, error) {
	switch {
	case o.Account == "":
		return nil, errors.New("discord: no account")
	case o.Token == "":
		return nil, fmt.Errorf("discord account %q: no token", o.Account)
	case o.Receiver == nil:
		return nil, errors.New("discord: no receiver")
	case o.Memory == nil:
		return nil, errors.New("discord: no memory")
	case o.Logger == nil:
		return nil, errors.New("discord: no logger")
	}
	o.Dialer = cmp.Or(o.Dialer, websocket.DefaultDialer)
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, time.Minute)
	o.Patience = cmp.Or(o.Patience, 30*time.Second)
	o.Back = cmp.Or(o.Back, 7*24*time.Hour)
	o.Logger = o.Logger.With("channel", discord.Channel, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed), rest: discord.NewClient(o.Token, o.Client)}, nil
}

// Run takes in messages until ctx ends. Whatever goes wrong meanwhile is seen in
// the status, and tried again.
func (c *Channel) Run(ctx context.Context) error {
	r := newRun(c)
	defer r.end()
	r.report(channels.Status{State: channels.Connecting})
	for ctx.Err() == nil {
		err := r.connect(ctx)
		if ctx.Err() == nil {
			channels.Sleep(ctx, r.failed(err))
		}
	}
	return ctx.Err()
}

// pause is how long to wait after so many failures in a row.
func (c *Channel) pause(failures int) time.Duration {
	return channels.Backoff{First: c.Pause, Longest: c.LongestPause}.After(failures)
}

func (c *Channel) words(language string) Words {
	w, ok := c.Words[language]
	if !ok {
		if len(language) > 2 {
			w, ok = c.Words[language[:2]]
		}
		if !ok {
			w = c.Words[""]
		}
	}
	w.Failed = cmp.Or(w.Failed, texts.Shipped().Localize("press.failed"))
	w.Pressed = cmp.Or(w.Pressed, texts.Shipped().Localize("press.answer", "answer", "{answer}"))
	return w
}
