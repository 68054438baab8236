// Package discord is the client of Discord and the receiving side of its accounts. A [Channel]
// connects to the gateway as one bot and passes incoming messages to package intake. Package
// notifiers/discord sends with the same [Client].
//
// REST calls use discordgo without two of its habits: it sleeps until a rate limit ends, even if
// the context ends first, and it repeats a call after a 502, although the first call may have
// succeeded.
//
// This package speaks to the gateway itself and uses only discordgo's types. discordgo identifies
// again at once whenever Discord calls a session invalid, but Discord resets a token that
// identifies a thousand times in a day. discordgo also hides the close code of a connection, which
// says what to do.
//
// Discord does not keep events that a client has not confirmed. A resumed session gets the events
// that it missed. If there is no session to resume, for example because the process died, errand
// fetches the messages of each chat that follow the last one in the inbox. Messages wait in memory,
// chat by chat, until errand has committed them. If people edit messages while errand is down,
// errand sees only the last state; it does not see deletions.
//
// On Discord a thread is a channel with messages of its own. It becomes the chat of a route, and
// the route's thread stays empty.
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

	"errand/internal/texts"
)

// A Memory knows the last message of each chat in the inbox.
type Memory interface {
	Cursors(ctx context.Context, channel, account string) ([]intake.Cursor, error)
}

// A Suggester completes the argument of a command while a person types it.
type Suggester interface {
	Suggest(ctx context.Context, in intake.Inbound, command, prefix string) ([]commands.Suggestion, error)
}

var (
	_ Memory    = (*intake.Intake)(nil)
	_ Suggester = (*intake.Intake)(nil)
)

// Options configure a channel. Account, Token, Receiver, Memory and Logger are required.
type Options struct {
	Account  string // errand's name of it
	Token    string // without "Bot "
	Receiver channels.Receiver
	Memory   Memory
	Logger   *slog.Logger

	Client *http.Client
	Dialer *websocket.Dialer // default: websocket.DefaultDialer
	// Commands is the command list that clients show, by language; "" is the default language.
	// Without Commands, the channel leaves the current list unchanged.
	Commands map[string][]commands.MenuEntry
	Suggest  Suggester // nil: no suggestions
	// People, if set, returns the people whose direct messages are fetched when a session begins,
	// in case they wrote for the first time while errand was down.
	People People
	// Words are the replies to interactions, by language; "" is the default language.
	Words map[string]Words
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Pause and LongestPause are the waits between failed attempts, doubled each time; default
	// 1 s and 1 min.
	Pause, LongestPause time.Duration
	// Patience is the maximum delay until a command or a button press is handled; default 30 s.
	// After that the person gets an error, because a late /stop could hit something else.
	Patience time.Duration
	// Back is the maximum age of missed messages that are fetched; default a week.
	Back time.Duration
}

// Words are the replies to interactions.
type Words struct {
	Failed  string // the interaction failed
	Pressed string // which button was pressed: texts.Shipped().Localize("press.answer", "answer", "{answer}")
}

// A Channel is one of errand's bots. Only one Channel per bot may run.
type Channel struct {
	Options
	*channels.StatusReporter
	rest *Client
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
	o.Logger = o.Logger.With("channel", Name, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed), rest: NewClient(o.Token, o.Client)}, nil
}

// Run receives messages until ctx ends. It reports failures in the status and retries.
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
