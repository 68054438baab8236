// Package telegram is Telegram's outbound half: it sends messages, shows that an agent is typing,
// and reports what is known about a delivery.
package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/channels/telegram"
	"errand/internal/core"
	"errand/notifiers"
)

// Options configure a notifier. Only Accounts is required.
type Options struct {
	Accounts map[string]string // token by account
	URL      string            // default https://api.telegram.org
	Client   *http.Client      // default: one with a timeout of 30 s
	Rates    Rates
	Moves    telegram.Moves  // new chat ids of moved groups; default: known only from Telegram's answers
	Parts    notifiers.Parts // default: kept in memory, lost with the process
	Logger   *slog.Logger    // for parts that cannot be recorded; default: no log
}

// A Notifier sends messages as bots. It is safe for concurrent use.
//
// Telegram has no idempotency key and does not show a bot what it has sent. The outcome of a call
// without an answer therefore stays unknown, and Notify repeats the message with a mark. Notify
// records which parts of a long text have arrived. The next attempt continues after them, also
// after a crash.
type Notifier struct {
	accounts map[string]*account
	parts    notifiers.Parts
	log      *slog.Logger

	mu   sync.Mutex
	part map[string]progress // by key
}

type account struct {
	name    string
	client  *telegram.Client
	chats   telegram.Chats
	limiter *notifiers.AccountLimiter
	// noDrafts is set when a self-hosted Bot API server is too old for drafts.
	noDrafts atomic.Bool
}

var (
	_ notifiers.Notifier    = (*Notifier)(nil)
	_ notifiers.Checker     = (*Notifier)(nil)
	_ notifiers.RateLimiter = (*Notifier)(nil)
	_ notifiers.Typer       = (*Notifier)(nil)
	_ notifiers.FileSender  = (*Notifier)(nil)
	_ notifiers.Progress    = (*Notifier)(nil)
	_ notifiers.Previewer   = (*Notifier)(nil)
	_ notifiers.Reactor     = (*Notifier)(nil)
)

// New returns a notifier. It makes no call to Telegram.
func New(o Options) (*Notifier, error) {
	if o.Client == nil {
		o.Client = &http.Client{Timeout: 30 * time.Second}
	}
	n := &Notifier{accounts: map[string]*account{}, parts: o.Parts, log: o.Logger, part: map[string]progress{}}
	for name, token := range o.Accounts {
		if token == "" {
			return nil, fmt.Errorf("telegram account %q: no token", name)
		}
		n.accounts[name] = &account{name: name, client: telegram.NewClient(token, o.URL, o.Client),
			chats: telegram.Chats{Moves: o.Moves, Account: name}, limiter: newLimiter(o.Rates)}
	}
	return n, nil
}

// Notify sends n, as several messages if it is long.
func (t *Notifier) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	a, to, err := t.target(ctx, n.Route)
	if err != nil {
		return notifiers.Receipt{}, err
	}
	if n.Deletes() {
		return notifiers.Receipt{}, t.remove(ctx, a, to, n.Replaces)
	}
	if n.File != nil {
		return t.sendFile(ctx, a, to, n)
	}
	parts := render(n.Event, n.Text)
	done := t.resume(n, len(parts))
	done.unknown = done.unknown || n.Repeated
	if err := a.limiter.Fits(ctx, n.Route.Chat, len(parts)-len(done.ids)); err != nil {
		return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
	}
	for i := len(done.ids); i < len(parts); i++ {
		m := parts[i]
		var keyboard models.ReplyMarkup
		if i == len(parts)-1 {
			keyboard = buttons(n.Options)
		}
		if i == 0 && n.Replaces != "" {
			there, err := t.replace(ctx, a, to, n.Replaces, m, keyboard)
			if err != nil {
				return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
			}
			if there {
				done.ids, done.unknown = append(done.ids, n.Replaces), false
				t.keep(ctx, n, done, len(parts))
				continue
			}
			done.unknown = n.Attempts > 0 // an earlier attempt may have sent it as a new message
		}
		if done.unknown { // this part may have arrived
			m = m.marked()
		}
		p := to.message(m)
		if i == 0 {
			p.ReplyTo = to.replyTo(n.ReplyTo)
		}
		p.Buttons = keyboard
		id, err := t.send(ctx, a, to, p)
		if err != nil {
			return notifiers.Receipt{}, t.failed(a, n.Key, done, err)
		}
		done.ids, done.unknown = append(done.ids, to.chat.FormatMessageID(id)), false
		t.keep(ctx, n, done, len(parts))
	}
	t.note(n.Key, progress{})
	return notifiers.Receipt{IDs: done.ids}, nil
}

// WaitToSend waits until a message may be sent to a chat.
func (t *Notifier) WaitToSend(ctx context.Context, r core.Route, patience time.Duration) (context.Context, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return ctx, nil
	}
	return a.limiter.Ahead(ctx, r.Chat, patience)
}

// Delivered uses only what this process or the store has recorded. It returns the receipt if all
// parts have arrived. It returns ok false if the next part was certainly not sent, or if n edits
// an existing message, because the same edit may be repeated.
func (t *Notifier) Delivered(_ context.Context, n core.Notification) (notifiers.Receipt, bool, error) {
	of := len(render(n.Event, n.Text))
	arrived := notifiers.Arrived(n, of)
	switch {
	case of > 1 && len(arrived) == of:
		return notifiers.Receipt{IDs: n.Receipts}, true, nil
	case n.Replaces != "" && len(arrived) == 0: // repeating an edit is safe
		return notifiers.Receipt{}, false, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.part[n.Key]; ok && p.text == n.Text && !p.unknown {
		return notifiers.Receipt{}, false, nil
	}
	return notifiers.Receipt{}, false, notifiers.ErrCannotCheck
}

// A target is a chat or a topic of it.
type target struct {
	route  core.Route
	chat   telegram.Chat
	thread int
}

func (t *Notifier) target(ctx context.Context, r core.Route) (*account, *target, error) {
	a, ok := t.accounts[r.Account]
	if !ok {
		return nil, nil, notifiers.NotSetUp(r.At())
	}
	chat, err := a.chats.Now(ctx, r.Chat)
	switch {
	case errors.Is(err, telegram.ErrNoChat):
		return nil, nil, notifiers.Refusedf("%q is not the id of a chat on Telegram, which is a number", core.Cut(r.Chat, 40))
	case err != nil:
		return nil, nil, notifiers.NotSentf(0, "find out what the chat is called now: %w", err)
	}
	to := &target{route: r, chat: chat}
	if r.Thread == "" {
		return a, to, nil
	}
	if to.thread, err = strconv.Atoi(r.Thread); err != nil {
		return nil, nil, notifiers.Refusedf("%q is not the id of a topic on Telegram, which is a number", core.Cut(r.Thread, 40))
	}
	return a, to, nil
}

func (to *target) message(m part) *sendMessage {
	quiet := true
	return &sendMessage{Chat: to.chat.ID, Thread: to.thread, Text: m.text, Entities: m.entities,
		// Otherwise Telegram would fetch every URL that a model writes.
		LinkPreview: &models.LinkPreviewOptions{IsDisabled: &quiet}}
}

func (t *Notifier) send(ctx context.Context, a *account, to *target, p *sendMessage) (int, error) {
	chat := to.route.Chat
	if err := a.limiter.Wait(ctx, chat); err != nil {
		return 0, err
	}
	id, err := a.sendMessage(ctx, p)
	var no *telegram.Error
	switch {
	case errors.As(err, &no) && no.MovedTo != 0: // the group has a new id, and the message did not arrive
		from := to.chat.ID
		to.chat = telegram.Chat{ID: no.MovedTo, Moved: true}
		if err := a.chats.Move(ctx, from, no.MovedTo); err != nil {
			return 0, notifiers.NotSentf(0, "note what the chat is called now: %w", err)
		}
		p.Chat, p.ReplyTo = to.chat.ID, nil // the original message is in the old group
		id, err = a.sendMessage(ctx, p)
	case isRefused(err, "entit"): // send it without formatting
		p.Entities = nil
		if wait := a.limiter.Wait(ctx, chat); wait != nil {
			return 0, wait
		}
		id, err = a.sendMessage(ctx, p)
	}
	if err != nil {
		return 0, a.failed(chat, err)
	}
	return id, nil
}

func (a *account) failed(chat string, err error) *notifiers.SendError {
	send := a.explain(err)
	var no *telegram.Error
	if errors.As(err, &no) && !no.Foreign && no.Code == http.StatusTooManyRequests {
		a.limiter.TooMany(chat, send.RetryAfter)
	}
	return send
}

// replyTo allows Telegram to send the reply if the original message is gone.
func (to *target) replyTo(id string) *models.ReplyParameters {
	n, ok := to.chat.ParseMessageID(id)
	if !ok {
		return nil
	}
	return &models.ReplyParameters{MessageID: n, AllowSendingWithoutReply: true}
}

// mostData is Telegram's limit in bytes.
const mostData = 64

// buttons puts an answer into the callback data, or its number if the answer is too long. The
// receiver then finds the answer in the message.
func buttons(options []string) models.ReplyMarkup {
	if len(options) == 0 {
		return nil
	}
	var k models.InlineKeyboardMarkup
	for i, o := range options {
		if o = strings.TrimSpace(o); o == "" {
			continue
		}
		data := o
		if len(data) > mostData || strings.HasPrefix(data, "#") {
			data = "#" + strconv.Itoa(i+1)
		}
		k.InlineKeyboard = append(k.InlineKeyboard, []models.InlineKeyboardButton{{Text: o, CallbackData: data}})
	}
	if len(k.InlineKeyboard) == 0 {
		return nil
	}
	return &k
}
