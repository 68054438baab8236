// Package discord is Discord's outbound half: it sends messages, shows that an agent
// writes, and says what became of a delivery. It needs no connection to the gateway:
// everything it does is a call.
//
// The key of a notification becomes the nonces of its messages. Discord shows a
// nonce once, for "the last few minutes"
// (https://docs.discord.com/developers/resources/message#create-message); after
// that, what has arrived is read back before anything is repeated.
package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand"
	"errand/internal/platform/discord"
	"errand/notifiers"
	"errand/notifiers/ratelimit"
)

// Options is what a notifier needs. Only Accounts is required.
type Options struct {
	Accounts map[string]string // token by account, without "Bot "
	Client   *http.Client      // default: one that waits 30 s for an answer
	// Every is how far calls of one account are apart; default 22 ms: Discord
	// permits 50 a second. What it permits in one channel it says itself.
	Every time.Duration
}

// A Notifier sends from bots. It is safe for concurrent use.
type Notifier struct {
	accounts map[string]*account

	mu   sync.Mutex
	part map[string]progress // by key
	sent map[string]string   // key by the id of a message
}

type account struct {
	name    string
	rest    *discord.Client
	limiter *ratelimit.Limiter

	mu sync.Mutex
	id string // of the bot; empty: not asked yet
}

var (
	_ notifiers.Notifier       = (*Notifier)(nil)
	_ notifiers.Checker        = (*Notifier)(nil)
	_ notifiers.RateLimiter    = (*Notifier)(nil)
	_ notifiers.Typer          = (*Notifier)(nil)
	_ notifiers.FileSender     = (*Notifier)(nil)
	_ notifiers.TypingDuration = (*Notifier)(nil)
	_ notifiers.Progress       = (*Notifier)(nil)
	_ notifiers.Previewer      = (*Notifier)(nil)
	_ notifiers.Reactor        = (*Notifier)(nil)
)

// New returns a notifier. It does not call Discord.
func New(o Options) (*Notifier, error) {
	if o.Every == 0 {
		o.Every = 22 * time.Millisecond
	}
	n := &Notifier{accounts: map[string]*account{}, part: map[string]progress{}, sent: map[string]string{}}
	for name, token := range o.Accounts {
		if token == "" {
			return nil, fmt.Errorf("discord account %q: no token", name)
		}
		n.accounts[name] = &account{name: name, rest: discord.NewClient(token, o.Client),
			limiter: ratelimit.New(ratelimit.Options{Platform: "Discord", Account: []ratelimit.Limit{{Every: o.Every}}})}
	}
	return n, nil
}

type progress struct {
	text string
	ids  []string // of the parts that have arrived
}

// mostKept bounds what is remembered of notifications.
const mostKept = 10_000

// Notify sends n, as several messages if it is long.
func (t *Notifier) Notify(ctx context.Context, n errand.Notification) (notifiers.Receipt, error) {
	route, err := t.direct(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	a, chat, err := t.target(route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	messages := compose(n)
	done := t.resume(n.Key, n.Text)
	if err := a.limiter.Fits(ctx, chat, len(messages)-len(done.ids)); err != nil {
		return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
	}
	for i := len(done.ids); i < len(messages); i++ {
		m := messages[i]
		if i == 0 && n.Replaces != "" {
			there, err := a.replace(ctx, chat, n.Replaces, m)
			if err != nil {
				return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
			}
			if there {
				done.ids = append(done.ids, n.Replaces)
				t.note(n.Key, done)
				continue
			}
		}
		if n.Repeated && i == len(done.ids) {
			m.mark()
		}
		id, err := a.post(ctx, chat, m)
		if err != nil {
			return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
		}
		done.ids = append(done.ids, id)
		t.note(n.Key, done)
	}
	t.done(n.Key, done.ids)
	return notifiers.Receipt{IDs: done.ids}, nil
}

// WaitToSend waits until a message may go to a chat.
func (t *Notifier) WaitToSend(ctx context.Context, r errand.Route, patience time.Duration) (context.Context, error) {
	a, chat, err := t.target(r)
	if err != nil {
		return ctx, nil
	}
	return a.limiter.Ahead(ctx, chat, patience)
}

// post sends one message when the pace allows, and returns its id. What Discord
// turns down about it, and it can be read without, is left out.
func (a *account) post(ctx context.Context, chat string, m message) (string, error) {
	for {
		if err := a.limiter.Wait(ctx, chat); err != nil {
			return "", err
		}
		var sent struct{ ID string }
		var body any = m
		if m.file != nil {
			body = discord.Upload{JSON: m, Name: m.file.Name, Type: m.file.Type, Data: m.file.Data}
		}
		err := a.rest.Call(ctx, http.MethodPost, discordgo.EndpointChannelMessages(chat), body, &sent)
		if err == nil && sent.ID == "" {
			err = &discord.Error{Text: "the answer is no message"}
		}
		if err == nil {
			return sent.ID, nil
		}
		if !m.simplify(err) {
			return "", a.explain(err)
		}
	}
}

// Typing shows "… is typing" for ten seconds.
func (t *Notifier) Typing(ctx context.Context, r errand.Route) error {
	a, chat, err := t.target(r)
	if err != nil {
		return err
	}
	if !a.limiter.TryTyping(chat) {
		return nil
	}
	if err := a.rest.Call(ctx, http.MethodPost, discordgo.EndpointChannelTyping(chat), nil, nil); err != nil {
		return a.explain(err)
	}
	return nil
}

// TypingDuration is for how long: Discord's documentation of the call says so.
func (t *Notifier) TypingDuration() time.Duration { return 10 * time.Second }

// target is the account and the channel that a route means. A thread is a
// channel of its own on Discord, so a route to one has it as its chat.
func (t *Notifier) target(r errand.Route) (*account, string, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return nil, "", notifiers.NotSetUp(r.At())
	}
	chat := r.Chat
	if r.Thread != "" {
		chat = r.Thread
	}
	if !discord.IsID(chat) {
		return nil, "", notifiers.Refusedf("%q is not the id of a channel on Discord, which is a number", errand.Cut(chat, 40))
	}
	return a, chat, nil
}

func (t *Notifier) resume(key, text string) progress {
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.part[key]
	if !ok || p.text != text {
		return progress{text: text}
	}
	p.ids = append([]string(nil), p.ids...)
	return p
}

func (t *Notifier) note(key string, p progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.part) >= mostKept {
		clear(t.part)
	}
	p.ids = append([]string(nil), p.ids...)
	t.part[key] = p
}

// done notes which messages a key has become.
func (t *Notifier) done(key string, ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.part, key)
	if len(t.sent) >= mostKept {
		clear(t.sent)
	}
	for _, id := range ids {
		t.sent[id] = key
	}
}

func (t *Notifier) failed(a *account, key string, done progress, err error) error {
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = a.explain(err)
	}
	return send.After(len(done.ids))
}
