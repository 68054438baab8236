// Package telegram is Telegram's inbound half: it receives what people write to one
// bot, by polling or a webhook, and hands it to package intake.
//
// Telegram keeps an update until a higher offset is asked for. A Channel asks
// for it only when package intake has committed the update, so one that the process
// dies with is delivered again, and the inbox knows it.
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
	"errand/internal/platform/telegram"
)

// Options is what a channel needs. Account, Token, Receiver and Logger are required.
type Options struct {
	Account  string // what errand calls it
	Token    string
	Receiver channels.Receiver
	Logger   *slog.Logger

	Moves  telegram.Moves // default: a group that moves is another chat
	URL    string         // default https://api.telegram.org
	Client *http.Client   // default: the standard one; without a Timeout, for polls are long
	// Webhook is where Telegram delivers; nil: it is asked for updates. The channel
	// is the handler that has to be there.
	Webhook *Webhook
	// Commands is the list that clients show, by language; "" is for all others.
	// Without it, what is set stays.
	Commands map[string][]Command
	// TooOld is what somebody is shown who presses a button of a message that
	// Telegram does not know any more, by language; "" is for all others.
	TooOld map[string]string
	// Holds says whether the account is ours to ask for updates; default: it is. A process
	// that has stood still may have lost it and not know yet, and Telegram would end what
	// another worker asks.
	Holds func() bool
	// Changed is called with each new status, by one goroutine at a time.
	Changed func(channels.Status)
	// Poll is how long Telegram waits for something to tell; default 30 s.
	Poll time.Duration
	// Settle is how long the parts of an album may be apart that are taken as one
	// message; default 700 ms.
	Settle time.Duration
	// Pause and LongestPause are between attempts that failed, doubled each time;
	// default 1 s and 30 s.
	Pause, LongestPause time.Duration
}

// A Command is an entry of the list that clients show.
type Command struct {
	Name  string // "/tasks"
	About string
}

// A Channel is one bot of ours. Of all that poll with one token, Telegram serves
// the last: only one may run.
type Channel struct {
	Options
	*channels.StatusReporter
	client *telegram.Client
	chats  telegram.Chats

	mu     sync.Mutex
	me     models.User // guarded by mu
	shown  bool        // our commands; guarded by mu
	albums albums      // guarded by mu

	strangers strangers

	intake   sync.Mutex       // held while an update comes in by the webhook
	hooked   bool             // we have set the webhook, or removed one
	offset   int64            // everything before it is committed
	waiting  map[albumKey]int // parts of albums there were when they were last asked for
	failures int              // in a row
	tripped  int64            // the update that made us panic last
	trips    int              // how often
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
	o.Logger = o.Logger.With("channel", telegram.Channel, "account", o.Account)
	return &Channel{Options: o, StatusReporter: channels.NewStatusReporter(o.Logger, o.Changed), client: telegram.NewClient(o.Token, o.URL, o.Client),
		chats: telegram.Chats{Moves: o.Moves, Account: o.Account}}, nil
}

var _ channels.Connection = (*Channel)(nil)

// Run takes in messages until ctx ends. Whatever goes wrong meanwhile is seen in
// the status, and tried again.
func (c *Channel) Run(ctx context.Context) error {
	c.Set(channels.Status{State: channels.Connecting})
	c.hooked = false
	do := c.once
	if c.Webhook != nil {
		do = c.watchHook
	}
	for ctx.Err() == nil {
		if err := do(ctx); err != nil && ctx.Err() == nil {
			if byWebhook(err) && c.unhook(ctx) {
				continue
			}
			channels.Sleep(ctx, c.failed(err))
		}
	}
	return ctx.Err()
}

// once asks for updates, which confirms those before, and takes them in.
func (c *Channel) once(ctx context.Context) error {
	if c.Holds != nil && !c.Holds() {
		channels.Sleep(ctx, c.Pause)
		return nil
	}
	poll := c.Poll
	if c.Status().State != channels.Connected {
		poll = 0 // whether it works is to be known at once
	}
	if poll == 0 || !c.listed() {
		if err := c.introduce(ctx); err != nil {
			return err
		}
	}
	deadline, cancel := context.WithTimeout(ctx, poll+20*time.Second)
	defer cancel()
	var list []json.RawMessage
	err := c.client.Call(deadline, "getUpdates", map[string]any{"offset": c.offset, "timeout": int(poll.Seconds()), "allowed_updates": telegram.Wanted}, &list)
	if err != nil {
		return err
	}
	updates := c.decode(list)
	if len(list) > 0 && !slices.ContainsFunc(updates, func(u *models.Update) bool { return u.ID > 0 }) {
		return errors.New("getUpdates: what was answered are no updates") // and will be again, at once
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
			c.Logger.Warn("the list of commands is not shown", "language", language, "error", err)
			var no *telegram.Error
			passes := !errors.As(err, &no) || no.Code != http.StatusBadRequest
			c.mu.Lock()
			c.shown = c.shown && !passes // then before the next poll
			c.mu.Unlock()
		}
	}
	return nil
}

// name is our username; empty: we do not know it yet.
func (c *Channel) name() string { return c.self().Username }

func (c *Channel) handles() []string {
	return []string{strings.ToLower(c.name()), strconv.FormatInt(c.self().ID, 10)}
}

// listed reports whether our commands are shown, as far as they can be.
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

// pause is how long to wait after one more failure.
func (c *Channel) pause() time.Duration {
	c.failures++
	return channels.Backoff{First: c.Pause, Longest: c.LongestPause}.After(c.failures - 1)
}
