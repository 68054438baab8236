// Package telegram is the client of Telegram's Bot API and the receiving side of its accounts. A
// [Channel] receives the messages to one bot, by polling or a webhook, and passes them to package
// intake. Package notifiers/telegram sends with the same [Client].
//
// Telegram keeps an update until the bot requests a higher offset. A Channel does that only after
// package intake has committed the update. If the process dies before, Telegram delivers the update
// again, and the inbox detects the duplicate.
package telegram

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/channels"
)

// Options configure a channel. Account, Token, Receiver and Logger are required.
type Options struct {
	Account  string // errand's name of it
	Token    string
	Receiver channels.Receiver
	Logger   *slog.Logger

	Moves  Moves        // default: a group with a new id is a new chat
	URL    string       // default https://api.telegram.org
	Client *http.Client // default: a client without a timeout, because polls are long
	// Webhook is where Telegram delivers updates; nil: the channel polls. The channel is the
	// HTTP handler for that URL.
	Webhook *Webhook
	// Commands is the command list that clients show, by language; "" is the default language.
	// Without Commands, the channel leaves the current list unchanged.
	Commands map[string][]Command
	// TooOld is the reply to a press of a button in a message that Telegram no longer knows, by
	// language; "" is the default language.
	TooOld map[string]string
	// Holds reports whether this process may poll; default: always. A process that was suspended
	// may have lost the account without noticing, and its poll would end that of another worker.
	Holds func() bool
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Poll is how long Telegram may hold a poll open; default 30 s.
	Poll time.Duration
	// Settle is the longest time between the parts of an album; default 700 ms.
	Settle time.Duration
	// Pause and LongestPause are the waits between failed attempts, doubled each time; default
	// 1 s and 30 s.
	Pause, LongestPause time.Duration
}

// A Command is an entry of the list that clients show.
type Command struct {
	Name  string // "/tasks"
	About string
}

// A Channel is one of errand's bots. Telegram ends an older poll with the same token, so only one
// Channel per bot may run.
type Channel struct {
	Options
	*channels.StatusReporter
	client *Client
	chats  Chats

	mu     sync.Mutex
	me     models.User // guarded by mu
	shown  bool        // the command list is set; guarded by mu
	albums albums      // guarded by mu

	strangers strangers

	intake   sync.Mutex       // held while the webhook handles an update
	hooked   bool             // the webhook was set or removed by this channel
	offset   int64            // everything before it is committed
	waiting  map[albumKey]int // parts of each album in the last answer
	failures int              // in a row
	tripped  int64            // id of the update that panicked last
	trips    int              // number of its panics
}

// New returns a channel. It does not call Telegram.
func New(o Options) (*Channel, error) {
	switch {
	case o.Account == "":
		return nil, errors.New("telegram: no account")
	case o.Token == "":
		return nil, fmt.Errorf("telegram account %q: no token", o.Account)
	case o.Receiver == nil:
		return nil, errors.New("telegram: no receiver")
	case o.Logger == nil:
		return nil, errors.New("telegram: no logger")
	case o.Webhook != nil && (o.Webhook.URL == "" || o.Webhook.Secret == ""):
		return nil, fmt.Errorf("telegram account %q: a webhook needs a url and a secret", o.Account)
	}
	o.Poll = cmp.Or(o.Poll, 30*time.Second)
	o.Settle = cmp.Or(o.Settle, 700*time.Millisecond)
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, 30*time.Second)
	o.Logger = o.Logger.With("channel", Name, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed), client: NewClient(o.Token, o.URL, o.Client),
		chats: Chats{Moves: o.Moves, Account: o.Account}}, nil
}

var _ channels.Connection = (*Channel)(nil)

// Run receives messages until ctx ends. It reports failures in the status and retries.
func (c *Channel) Run(ctx context.Context) error {
	c.Set(channels.Status{State: channels.Connecting})
	c.hooked = false
	do := c.once
	if c.Webhook != nil {
		do = c.watchHook
	}
	for ctx.Err() == nil {
		if !c.holds() {
			channels.Sleep(ctx, c.Pause)
			continue
		}
		// If the account was lost during the poll, the poll of the new owner ended it.
		if err := do(ctx); err != nil && ctx.Err() == nil && c.holds() {
			if byWebhook(err) && c.unhook(ctx) {
				continue
			}
			channels.Sleep(ctx, c.failed(err))
		}
	}
	return ctx.Err()
}

func (c *Channel) holds() bool { return c.Holds == nil || c.Holds() }

func (c *Channel) once(ctx context.Context) error {
	poll := c.Poll
	if c.Status().State != channels.Connected {
		poll = 0 // answer at once, to show the status
	}
	if poll == 0 || !c.listed() {
		if err := c.introduce(ctx); err != nil {
			return err
		}
	}
	deadline, cancel := context.WithTimeout(ctx, poll+20*time.Second)
	defer cancel()
	var list []json.RawMessage
	err := c.client.Call(deadline, "getUpdates", map[string]any{"offset": c.offset, "timeout": int(poll.Seconds()), "allowed_updates": Wanted}, &list)
	if err != nil {
		return err
	}
	updates := c.decode(list)
	if len(list) > 0 && !slices.ContainsFunc(updates, func(u *models.Update) bool { return u.ID > 0 }) {
		return errors.New("getUpdates: what was answered are no updates") // an error makes the caller wait before it asks again
	}
	settled, err := c.takeAll(ctx, updates)
	if err != nil {
		return &intakeError{err}
	}
	c.failures = 0
	c.Set(channels.Status{State: channels.Connected, Detail: "as @" + c.name(), Handles: c.handles()})
	if !settled {
		channels.Sleep(ctx, c.Settle)
	}
	return nil
}

func (c *Channel) introduce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	var me models.User
	if err := c.client.Call(ctx, "getMe", nil, &me); err != nil {
		return err
	}
	c.mu.Lock()
	shown := c.shown
	c.me, c.shown = me, true
	c.mu.Unlock()
	if shown {
		return nil
	}
	for language, list := range c.Commands {
		if err := c.client.Call(ctx, "setMyCommands", commandList(language, list), nil); err != nil {
			c.Logger.Warn("list of commands not set", "language", language, "error", err)
			var no *Error
			passes := !errors.As(err, &no) || no.Code != http.StatusBadRequest
			c.mu.Lock()
			c.shown = c.shown && !passes // then set it before the next poll
			c.mu.Unlock()
		}
	}
	return nil
}

func (c *Channel) name() string { return c.self().Username }

func (c *Channel) handles() []string {
	return []string{strings.ToLower(c.name()), strconv.FormatInt(c.self().ID, 10)}
}

func (c *Channel) listed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.shown
}

func (c *Channel) self() models.User {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.me
}

func commandList(language string, list []Command) map[string]any {
	shown := []models.BotCommand{}
	for _, cmd := range list {
		shown = append(shown, models.BotCommand{Command: cmd.Name, Description: cmd.About})
	}
	params := map[string]any{"commands": shown}
	if language != "" {
		params["language_code"] = language
	}
	return params
}

func (c *Channel) pause() time.Duration {
	c.failures++
	return channels.Backoff{First: c.Pause, Longest: c.LongestPause}.After(c.failures - 1)
}
