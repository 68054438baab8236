// Package discord is Discord's outbound half: it sends messages, shows that an agent is typing, and
// finds out whether messages were delivered. It uses only the REST API and needs no gateway
// connection.
//
// The nonces of the messages derive from the key of the notification. Discord shows a nonce once
// within "the last few minutes"
// (https://docs.discord.com/developers/resources/message#create-message). Later the notifier reads
// back what has arrived before it repeats anything.
package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/notifiers"
)

// Options configure a notifier. Only Accounts is required.
type Options struct {
	Accounts map[string]string // token by account, without "Bot "
	Client   *http.Client      // default: one with a timeout of 30 s
	// Every is the minimum time between calls of one account; default 22 ms, because Discord
	// permits 50 a second. Discord's answers give the limits of each channel.
	Every time.Duration
}

// A Notifier sends messages as bots. It is safe for concurrent use.
type Notifier struct {
	accounts map[string]*account

	mu   sync.Mutex
	part map[string]progress // by key
	sent map[string]string   // key by the id of a message
}

type account struct {
	name    string
	rest    *discord.Client
	limiter *notifiers.AccountLimiter

	mu sync.Mutex
	id string // the bot's user id; empty: not yet requested
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
// New returns a notifier. It makes no call to Discord.
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
			limiter: notifiers.NewAccountLimiter(notifiers.AccountLimits{Platform: "Discord", Account: notifiers.RateLimit{Every: o.Every}})}
	}
	return n, nil
}

type progress struct {
	text string
	ids  []string // of the parts that have arrived
}

const mostKept = 10_000

// Notify sends n, as several messages if it is long.
func (t *Notifier) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	route, err := t.direct(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	a, chat, err := t.target(route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	if n.Deletes() {
		return notifiers.Receipt{}, a.remove(ctx, chat, n.Replaces)
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

// WaitToSend waits until a message may be sent to a chat.
func (t *Notifier) WaitToSend(ctx context.Context, r core.Route, patience time.Duration) (context.Context, error) {
	a, chat, err := t.target(r)
	if err != nil {
		return ctx, nil
	}
	return a.limiter.Ahead(ctx, chat, patience)
}

// post sends a message again without its optional parts if Discord rejects them.
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

func (t *Notifier) Typing(ctx context.Context, r core.Route) error {
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

// TypingDuration is the duration in Discord's documentation of the call.
func (t *Notifier) TypingDuration() time.Duration { return 10 * time.Second }

// target uses the thread's id as the chat: on Discord a thread is a channel.
func (t *Notifier) target(r core.Route) (*account, string, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return nil, "", notifiers.NotSetUp(r.At())
	}
	chat := r.Chat
	if r.Thread != "" {
		chat = r.Thread
	}
	if !discord.IsID(chat) {
		return nil, "", notifiers.Refusedf("%q is not the id of a channel on Discord, which is a number", core.Cut(chat, 40))
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
